package fakegithub

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// handlers answer the operations of the description.
var handlers = map[string]func(*Server, *call){
	"users/get-authenticated": (*Server).getUser,
	"pulls/get":               (*Server).getPull,
	"pulls/list":              (*Server).listPulls,
	"repos/list-pull-requests-associated-with-commit": (*Server).listPullsWithCommit,
	"issues/list-comments":                            (*Server).listComments,
	"issues/create-comment":                           (*Server).createComment,
	"issues/update-comment":                           (*Server).updateComment,
	"reactions/create-for-issue-comment":              (*Server).react,
	"repos/get-collaborator-permission-level":         (*Server).permission,
	"checks/create":                                   (*Server).createCheck,
	"checks/update":                                   (*Server).updateCheck,
	"checks/list-for-ref":                             (*Server).listChecks,
	"repos/create-commit-status":                      (*Server).createStatus,
	"code-scanning/upload-sarif":                      (*Server).uploadSARIF,
	"actions/get-workflow-run":                        (*Server).getRun,
	"actions/list-workflow-runs":                      (*Server).listRuns,
	"actions/list-workflow-runs-for-repo":             (*Server).listRuns,
	"actions/list-workflow-run-artifacts":             (*Server).listArtifacts,
	"actions/download-artifact":                       (*Server).downloadArtifact,
	"repos/get-content":                               (*Server).getContent,
	"repos/compare-commits":                           (*Server).compare,
	"git/get-blob":                                    (*Server).getBlob,
	"git/get-commit":                                  (*Server).getCommit,
	"git/get-tree":                                    (*Server).getTree,
}

// getUser answers people only: the token of a job may not ask.
func (s *Server) getUser(c *call) {
	if c.who.Bot {
		c.refuse(http.StatusForbidden, "Resource not accessible by integration")
		return
	}
	c.answer(http.StatusOK, user(c.who.Login, c.who.ID, false))
}

func user(login string, id int64, bot bool) map[string]any {
	kind := "User"
	if bot {
		kind = "Bot"
	}
	return map[string]any{"login": login, "id": id, "type": kind}
}

func (s *Server) getPull(c *call) {
	p := s.Pulls[int(c.number("pull_number"))]
	if p == nil {
		c.refuse(http.StatusNotFound, "Not Found")
		return
	}
	c.answer(http.StatusOK, s.pull(p))
}

func (s *Server) pull(p *Pull) map[string]any {
	out := map[string]any{
		"number": p.Number, "state": p.State, "title": p.Title, "mergeable": p.Merge != "" && !p.Conflict,
		"head": map[string]any{"sha": p.HeadSHA, "ref": p.HeadRef, "repo": repository(p.HeadRepo)},
		"base": map[string]any{"sha": p.BaseSHA, "ref": p.BaseRef, "repo": repository(cmp.Or(p.BaseRepo, s.Repository))},
	}
	if p.Merge != "" {
		out["merge_commit_sha"] = p.Merge
	}
	return out
}

func repository(full string) map[string]any {
	owner, name, _ := strings.Cut(full, "/")
	return map[string]any{"full_name": full, "name": name, "owner": user(owner, 1, false)}
}

func (s *Server) listPulls(c *call) {
	q := c.r.URL.Query()
	owner, branch, _ := strings.Cut(q.Get("head"), ":")
	var list []any
	for _, number := range sortedNumbers(s.Pulls) {
		p := s.Pulls[number]
		if (q.Get("state") == "all" || p.State == or(q.Get("state"), "open")) && (branch == "" || p.HeadRef == branch && strings.HasPrefix(p.HeadRepo, owner+"/")) {
			list = append(list, s.pull(p))
		}
	}
	c.page(list, asList)
}

func (s *Server) listPullsWithCommit(c *call) {
	var list []any
	for _, number := range sortedNumbers(s.Pulls) {
		if p := s.Pulls[number]; p.HeadSHA == c.params["commit_sha"] {
			list = append(list, s.pull(p))
		}
	}
	c.page(list, asList)
}

func (s *Server) listComments(c *call) {
	var list []any
	for _, m := range s.Comments {
		if int64(m.Issue) == c.number("issue_number") {
			list = append(list, s.comment(m))
		}
	}
	c.page(list, asList)
}

func (s *Server) comment(m *Comment) map[string]any {
	return map[string]any{
		"id": m.ID, "node_id": fmt.Sprintf("IC_%d", m.ID), "body": m.Body, "user": user(m.Login, m.UserID, m.Bot),
		"html_url": fmt.Sprintf("https://github.invalid/%s/pull/%d#issuecomment-%d", s.Repository, m.Issue, m.ID),
	}
}

const maxBody = 65_536

func (s *Server) createComment(c *call) {
	number := int(c.number("issue_number"))
	if s.Pulls[number] == nil {
		c.refuse(http.StatusNotFound, "Not Found")
		return
	}
	if utf8.RuneCountInString(c.text("body")) > maxBody {
		c.refuse(http.StatusUnprocessableEntity, TooLong.Message)
		return
	}
	m := &Comment{ID: s.next(), Issue: number, Body: c.text("body"), Login: c.who.Login, UserID: c.who.ID, Bot: c.who.Bot}
	s.Comments = append(s.Comments, m)
	c.answer(http.StatusCreated, s.comment(m))
}

func (s *Server) updateComment(c *call) {
	for _, m := range s.Comments {
		if m.ID != c.number("comment_id") {
			continue
		}
		if utf8.RuneCountInString(c.text("body")) > maxBody {
			c.refuse(http.StatusUnprocessableEntity, TooLong.Message)
			return
		}
		m.Body = c.text("body")
		m.Edits++
		c.answer(http.StatusOK, s.comment(m))
		return
	}
	c.refuse(http.StatusNotFound, "Not Found")
}

func (s *Server) react(c *call) {
	s.Reactions = append(s.Reactions, c.params["comment_id"]+" "+c.text("content"))
	c.answer(http.StatusCreated, map[string]any{"content": c.text("content")})
}

func (s *Server) permission(c *call) {
	level := or(s.Permissions[c.params["username"]], "none")
	c.answer(http.StatusOK, map[string]any{"permission": level, "role_name": level})
}

func or(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}
