package capture

import (
	"path"
	"slices"
	"strings"
)

// tokens lists patterns of the variables with which CI services, and xlagate itself, may write to a repository. The command and every package that it
// imports do not need them.
var tokens = []string{
	"GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN", "ACTIONS_*", "INPUT_*TOKEN*",
	"XLAGATE_*TOKEN", "CI_JOB_TOKEN", "CI_JOB_JWT*", "BUILDKITE_AGENT_ACCESS_TOKEN",
}

// isToken reports whether a variable may hold a token of the job.
func isToken(name string) bool {
	return slices.ContainsFunc(tokens, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // the patterns are valid
		return ok
	})
}

// withoutTokens returns the environment of a command without the job's tokens, except for those that are kept, and the names of those that were removed. The inputs
// of an action are not among the names: no command reads them.
func withoutTokens(o Options) (env, removed []string) {
	for _, v := range o.Env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case !isToken(name) || value != "" && slices.Contains(o.Keep, name):
			env = append(env, v)
		case value != "" && !strings.HasPrefix(name, "INPUT_") && !slices.Contains(removed, name):
			removed = append(removed, name)
		}
	}
	slices.Sort(removed)
	return env, removed
}
