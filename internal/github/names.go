package github

import "strings"

const (
	digits    = "0123456789"
	hexDigits = digits + "abcdef"
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// madeOf reports whether a text is of these characters alone, and from least to most of them. No regular expression: those that count
// take longer to compile than all else that the program does before it begins.
func madeOf(s, characters string, least, most int) bool {
	return len(s) >= least && len(s) <= most && strings.Trim(s, characters) == ""
}

func validRepository(s string) bool {
	owner, name, _ := strings.Cut(s, "/")
	return madeOf(owner, letters+digits+"_-", 1, 100) && madeOf(name, letters+digits+"._-", 1, 100)
}

// ValidCommit reports whether a text is the full name of a commit.
func ValidCommit(s string) bool { return madeOf(s, hexDigits, 40, 40) || madeOf(s, hexDigits, 64, 64) }

// ValidKey reports whether a text can be a gate's key: nothing in it can end the marker.
func ValidKey(key string) bool {
	return madeOf(key, letters+digits+"._/-", 1, 64) && strings.Contains(letters+digits, key[:1])
}

func validIDs(list string) bool {
	for id := range strings.SplitSeq(list, ",") {
		if !madeOf(id, hexDigits, 12, 12) {
			return false
		}
	}
	return true
}
