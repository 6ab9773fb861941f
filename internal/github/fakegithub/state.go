package fakegithub

import (
	"net/http"
	"strings"
	"time"
)

// State is what a repository holds.
type State struct {
	Repository  string
	Tokens      map[string]Token
	Pulls       map[int]*Pull
	Comments    []*Comment
	Checks      []*Check
	Statuses    []*Status
	Runs        []*Run
	Artifacts   []*Artifact
	Commits     map[string]*Commit
	Trees       map[string]map[string]string // path → content, by tree
	Branches    map[string]string
	Permissions map[string]string // by login
	Reactions   []string          // "COMMENT CONTENT"
	SARIF       []string          // as uploaded

	last int64 // the last number given
}

// Token says whom a token stands for and what it may write. Reading is always allowed.
type Token struct {
	Login  string
	ID     int64
	Bot    bool
	Rights []string // "issues", "checks", "statuses", "contents", "security-events"; "*": all
}

// Pull is a pull request.
type Pull struct {
	Number   int
	State    string
	HeadSHA  string
	HeadRef  string
	HeadRepo string
	BaseRepo string // "": the server's
	BaseSHA  string
	BaseRef  string
	Merge    string // the commit that would be made by merging; "" when it cannot be
	Conflict bool   // it can no longer be merged, and Merge is of before
	Title    string
}

// Comment is a comment on an issue or pull request.
type Comment struct {
	ID     int64
	Issue  int
	Body   string
	Login  string
	UserID int64
	Bot    bool
	Hidden bool
	Edits  int
}

// Check is a check run.
type Check struct {
	ID          int64
	Name        string
	Head        string
	External    string
	Conclusion  string
	Title       string
	Summary     string
	Annotations []map[string]any
}

// Status is a commit status.
type Status struct{ SHA, Context, State, Description string }

// Run is a run of a workflow.
type Run struct {
	ID       int64
	Attempt  int
	Number   int
	Workflow int64
	Event    string
	Status   string
	HeadSHA  string
	HeadRef  string
	HeadRepo string
	File     string    // of the workflow
	Created  time.Time // zero: long ago
}

// Artifact is what a run left behind.
type Artifact struct {
	ID      int64
	Run     int64
	Name    string
	Data    []byte
	Size    int64 // as claimed; 0: as it is
	Expired bool
	Created time.Time // zero: long ago
}

// Commit is a commit, with its files.
type Commit struct {
	SHA     string
	Tree    string
	Parents []string
	Message string
}

func newState(repository string) State {
	return State{
		Repository: repository, Tokens: map[string]Token{}, Pulls: map[int]*Pull{}, Commits: map[string]*Commit{}, Trees: map[string]map[string]string{},
		Branches: map[string]string{}, Permissions: map[string]string{},
	}
}

// next gives a number that was not given before.
func (s *State) next() int64 {
	s.last++
	return 1000 + s.last
}

// identity is who asks.
type identity struct {
	Token
	token   string
	unknown bool
}

func (s *Server) identify(r *http.Request) identity {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	known, ok := s.Tokens[token]
	return identity{known, token, !ok}
}

// needs says which right an operation asks for.
var needs = map[string]string{
	"issues/create-comment": "issues", "issues/update-comment": "issues", "reactions/create-for-issue-comment": "issues",
	"checks/create": "checks", "checks/update": "checks", "repos/create-commit-status": "statuses", "code-scanning/upload-sarif": "security-events",
	"graphql createCommitOnBranch": "contents", "graphql minimizeComment": "issues",
}

func (i identity) may(operation string) bool {
	need := needs[operation]
	if need == "" {
		return true
	}
	for _, r := range i.Rights {
		if r == need || r == "*" {
			return true
		}
	}
	return false
}
