package fakegithub

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

func (s *Server) run(r *Run) map[string]any {
	return map[string]any{
		"id": r.ID, "run_attempt": r.Attempt, "run_number": r.Number, "workflow_id": r.Workflow, "event": r.Event, "status": r.Status,
		"head_sha": r.HeadSHA, "head_branch": r.HeadRef, "head_repository": repository(r.HeadRepo), "repository": repository(s.Repository),
		"created_at": r.Created.UTC().Format(time.RFC3339),
	}
}

func (s *Server) getRun(c *call) {
	for _, r := range s.Runs {
		if r.ID == c.number("run_id") {
			c.answer(http.StatusOK, s.run(r))
			return
		}
	}
	c.refuse(http.StatusNotFound, "Not Found")
}

// listRuns lists the newest first.
func (s *Server) listRuns(c *call) {
	q := c.r.URL.Query()
	var list []any
	for _, r := range slices.Backward(s.Runs) {
		matches := (q.Get("event") == "" || r.Event == q.Get("event")) && (q.Get("head_sha") == "" || r.HeadSHA == q.Get("head_sha")) &&
			(q.Get("status") == "" || r.Status == q.Get("status")) && (q.Get("branch") == "" || r.HeadRef == q.Get("branch")) &&
			(c.params["workflow_id"] == "" || r.File == c.params["workflow_id"] || r.Workflow == c.number("workflow_id"))
		if matches {
			list = append(list, s.run(r))
		}
	}
	c.page(list, func(part []any) any { return map[string]any{"total_count": len(list), "workflow_runs": part} })
}

func (s *Server) listArtifacts(c *call) {
	var list []any
	for _, a := range s.Artifacts {
		if a.Run == c.number("run_id") {
			list = append(list, s.artifact(a))
		}
	}
	c.page(list, func(part []any) any { return map[string]any{"total_count": len(list), "artifacts": part} })
}

func (s *Server) artifact(a *Artifact) map[string]any {
	size := a.Size
	if size == 0 {
		size = int64(len(a.Data))
	}
	return map[string]any{"id": a.ID, "name": a.Name, "size_in_bytes": size, "expired": a.Expired, "created_at": a.Created.UTC().Format(time.RFC3339)}
}

// downloadArtifact sends the caller to the store, with a signature instead of a token.
func (s *Server) downloadArtifact(c *call) {
	for _, a := range s.Artifacts {
		if a.ID == c.number("artifact_id") && !a.Expired {
			c.status = http.StatusFound
			c.Header().Set("Location", fmt.Sprintf("%s/%d?sig=secret", s.store.URL, a.ID))
			c.WriteHeader(http.StatusFound)
			return
		}
	}
	c.refuse(http.StatusGone, "Artifact has expired")
}

// serveStore is the store: it must never see a token.
func (s *Server) serveStore(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("Authorization") != "" {
		s.Violations = append(s.Violations, "the store was shown the token")
	}
	for _, a := range s.Artifacts {
		if r.URL.Path == fmt.Sprintf("/%d", a.ID) && r.URL.Query().Get("sig") == "secret" {
			w.Header().Set("Content-Type", "application/zip")
			_, _ = w.Write(a.Data)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
}

func sortedNumbers[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }
