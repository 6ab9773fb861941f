package capture

import (
	"context"
	"encoding/json"
	"fmt"
)

const installedScript = `
import importlib.metadata as m, json
print(json.dumps(m.version(%s)))
`

// releasedScript leaves it to pip which indexes there are, and which releases this Python can install.
const releasedScript = `
import importlib.metadata as m, json, subprocess, sys
from pip._vendor.packaging.version import Version
old, name, options = %s
listing = subprocess.run([sys.executable, "-m", "pip", "index", "versions", name, *options], capture_output=True, text=True)
lines = [line for line in listing.stdout.splitlines() if line.startswith("Available versions:")]
if not lines:
    sys.exit(listing.stderr or listing.stdout)
ends = Version(old), Version(m.version(name))
between = [v for v in map(Version, lines[0].split(":", 1)[1].replace(",", " ").split()) if min(ends) < v < max(ends)]
print(json.dumps([old, *map(str, sorted(between, reverse=ends[0] > ends[1])), str(ends[1])]))
`

// Released lists the versions of a package between two environments that [InChanged] made, the first and the last of which are installed in them, in
// order. It asks pip, with some of its options. The old environment may be the present one.
func Released(ctx context.Context, old, fresh Options, name string, pip []string) ([]string, error) {
	var pythons [2][]string
	for i, o := range []*Options{&old, &fresh} {
		o.Env, _ = withoutTokens(*o)
		e := environ{vars: o.Env}
		pythons[i] = interpreter(o.Argv, o.Dir, e.get("PATH"))
	}
	var from string
	if err := askJSON(ctx, old, pythons[0], fmt.Sprintf(installedScript, quoted(name)), &from); err != nil {
		return nil, fmt.Errorf("ask for the version of %s in the old environment: %w", name, err)
	}
	if python := pythons[1][0]; !hasPip(ctx, fresh, python) {
		if err := quietly(ctx, fresh, append(uvInstall(python), "pip")...); err != nil {
			return nil, fmt.Errorf("install pip, which lists the versions of %s: %w", name, err)
		}
	}
	var versions []string
	if err := askJSON(ctx, fresh, pythons[1], fmt.Sprintf(releasedScript, quoted([]any{from, name, append([]string{}, pip...)})), &versions); err != nil {
		return nil, fmt.Errorf("ask pip for the versions of %s: %w", name, err)
	}
	return versions, nil
}

// quoted is a value of strings in the notation that JSON and Python share.
func quoted(v any) string {
	text, _ := json.Marshal(v) // strings have no error
	return string(text)
}
