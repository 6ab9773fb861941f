package fakegithub

import (
	"fmt"
	"net/http"
)

func (s *Server) createCheck(c *call) {
	if !s.knowsCommit(c.text("head_sha")) {
		c.refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.text("head_sha"))
		return
	}
	k := &Check{ID: s.next(), Name: c.text("name"), Head: c.text("head_sha"), External: c.text("external_id"), Conclusion: c.text("conclusion")}
	s.Checks = append(s.Checks, k)
	k.take(c.body["output"])
	c.answer(http.StatusCreated, s.check(k))
}

func (s *Server) knowsCommit(sha string) bool {
	for _, p := range s.Pulls {
		if p.HeadSHA == sha {
			return true
		}
	}
	return s.Commits[sha] != nil
}

// take adds an output: the words replace those before, the annotations come on top.
func (k *Check) take(output any) {
	o, _ := output.(map[string]any)
	k.Title, _ = o["title"].(string)
	k.Summary, _ = o["summary"].(string)
	notes, _ := o["annotations"].([]any)
	for _, n := range notes {
		k.Annotations = append(k.Annotations, n.(map[string]any))
	}
}

func (s *Server) updateCheck(c *call) {
	for _, k := range s.Checks {
		if k.ID == c.number("check_run_id") {
			k.take(c.body["output"])
			c.answer(http.StatusOK, s.check(k))
			return
		}
	}
	c.refuse(http.StatusNotFound, "Not Found")
}

func (s *Server) check(k *Check) map[string]any {
	return map[string]any{
		"id": k.ID, "name": k.Name, "head_sha": k.Head, "external_id": k.External, "status": "completed", "conclusion": k.Conclusion,
		"html_url": fmt.Sprintf("https://github.invalid/%s/runs/%d", s.Repository, k.ID),
	}
}

func (s *Server) listChecks(c *call) {
	var list []any
	for _, k := range s.Checks {
		if name := c.r.URL.Query().Get("check_name"); k.Head == c.params["ref"] && (name == "" || name == k.Name) {
			list = append(list, s.check(k))
		}
	}
	c.page(list, func(part []any) any { return map[string]any{"total_count": len(list), "check_runs": part} })
}

func (s *Server) createStatus(c *call) {
	if len([]rune(c.text("description"))) > 140 {
		c.refuse(http.StatusUnprocessableEntity, "description is too long (maximum is 140 characters)")
		return
	}
	s.Statuses = append(s.Statuses, &Status{c.params["sha"], c.text("context"), c.text("state"), c.text("description")})
	c.answer(http.StatusCreated, map[string]any{"state": c.text("state"), "context": c.text("context")})
}

func (s *Server) uploadSARIF(c *call) {
	s.SARIF = append(s.SARIF, c.text("sarif"))
	c.answer(http.StatusAccepted, map[string]any{"id": "47177e22-5596-11eb-80a1-c1e54ef945c6"})
}
