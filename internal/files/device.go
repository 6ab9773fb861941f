package files

import "regexp"

// devices are the names that Windows reserves, whatever follows after a dot.
var devices = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// Device reports whether Windows reserves a file's name for a device: git cannot check out such a file there.
func Device(name string) bool { return devices.MatchString(name) }
