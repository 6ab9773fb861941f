package fakegithub

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

// Commit adds a commit with these files and returns its name.
func (s *State) Commit(files map[string]string, message string, parents ...string) string {
	tree := s.tree(files)
	sha := hash("commit", tree, message, strings.Join(parents, " "), fmt.Sprint(len(s.Commits)))
	s.Commits[sha] = &Commit{SHA: sha, Tree: tree, Parents: parents, Message: message}
	return sha
}

// Files are the files of a commit.
func (s *State) Files(commit string) map[string]string {
	if c := s.Commits[commit]; c != nil {
		return s.Trees[c.Tree]
	}
	return nil
}

func (s *State) tree(files map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, name, files[name])
	}
	sha := hash(append(parts, "tree")...)
	s.Trees[sha] = maps.Clone(files)
	return sha
}

func hash(parts ...string) string {
	sum := sha1.Sum([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

func blobName(content string) string { return hash(fmt.Sprintf("blob %d", len(content)), content) }

// resolve finds the commit that a revision names.
func (s *State) resolve(revision string) *Commit {
	if sha := s.Branches[strings.TrimPrefix(revision, "heads/")]; sha != "" {
		revision = sha
	}
	return s.Commits[revision]
}

// getContent tells of a file, or lists a folder.
func (s *Server) getContent(c *call) {
	commit := s.resolve(c.r.URL.Query().Get("ref"))
	if commit == nil {
		c.refuse(http.StatusNotFound, "No commit found for the ref "+c.r.URL.Query().Get("ref"))
		return
	}
	files := s.Trees[commit.Tree]
	if content, ok := files[c.params["path"]]; ok {
		c.answer(http.StatusOK, fileEntry(c.params["path"], content))
		return
	}
	entries := folder(files, c.params["path"])
	if len(entries) == 0 {
		c.refuse(http.StatusNotFound, "Not Found")
		return
	}
	c.status = http.StatusOK
	writeJSON(c.ResponseWriter, http.StatusOK, entries)
}

func fileEntry(name, content string) map[string]any {
	return map[string]any{"name": path.Base(name), "path": name, "type": "file", "size": len(content), "sha": blobName(content)}
}

// folder lists what lies directly in a folder.
func folder(files map[string]string, dir string) []any {
	var out []any
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		below, ok := strings.CutPrefix(name, strings.TrimPrefix(dir+"/", "/"))
		if !ok {
			continue
		}
		entry, rest, nested := strings.Cut(below, "/")
		if seen[entry] {
			continue
		}
		seen[entry] = true
		e := fileEntry(path.Join(dir, entry), files[name])
		if nested && rest != "" {
			e["type"], e["size"], e["sha"] = "dir", 0, hash("dir", entry)
		}
		out = append(out, e)
	}
	return out
}

// getBlob answers with the content itself: that is what is asked for.
func (s *Server) getBlob(c *call) {
	for _, files := range s.Trees {
		for _, content := range files {
			if blobName(content) == c.params["file_sha"] {
				c.status = http.StatusOK
				c.Header().Set("Content-Type", "application/vnd.github.v3.raw")
				_, _ = c.Write([]byte(content))
				return
			}
		}
	}
	c.refuse(http.StatusNotFound, "Not Found")
}

func (s *Server) getCommit(c *call) {
	commit := s.Commits[c.params["commit_sha"]]
	if commit == nil {
		c.refuse(http.StatusNotFound, "Not Found")
		return
	}
	c.answer(http.StatusOK, gitCommit(commit))
}

func gitCommit(commit *Commit) map[string]any {
	var parents []any
	for _, p := range commit.Parents {
		parents = append(parents, map[string]any{"sha": p})
	}
	return map[string]any{"sha": commit.SHA, "message": commit.Message, "tree": map[string]any{"sha": commit.Tree}, "parents": parents}
}

// compare answers with the common ancestor that the test's histories have: the first commit that both sides reach.
func (s *Server) compare(c *call) {
	base, head := c.params["base"], c.params["head"]
	reached := map[string]bool{}
	s.walk(base, func(sha string) bool { reached[sha] = true; return true })
	common := ""
	s.walk(head, func(sha string) bool {
		if common == "" && reached[sha] {
			common = sha
		}
		return common == ""
	})
	if common == "" {
		c.refuse(http.StatusNotFound, "No common ancestor")
		return
	}
	c.answer(http.StatusOK, map[string]any{"merge_base_commit": map[string]any{"sha": common}})
}

func (s *Server) walk(sha string, visit func(string) bool) {
	if commit := s.Commits[sha]; commit != nil && visit(sha) {
		for _, p := range commit.Parents {
			s.walk(p, visit)
		}
	}
}

func (s *Server) createTree(c *call) {
	files := maps.Clone(s.Trees[c.text("base_tree")])
	if files == nil {
		c.refuse(http.StatusUnprocessableEntity, "base_tree is not a valid tree oid")
		return
	}
	for _, e := range c.body["tree"].([]any) {
		entry := e.(map[string]any)
		name, _ := entry["path"].(string)
		if content, ok := entry["content"].(string); ok {
			files[name] = content
		} else {
			delete(files, name)
		}
	}
	c.answer(http.StatusCreated, map[string]any{"sha": s.tree(files), "tree": []any{}})
}

func (s *Server) createCommit(c *call) {
	var parents []string
	list, _ := c.body["parents"].([]any)
	for _, p := range list {
		parents = append(parents, p.(string))
	}
	sha := hash("commit", c.text("tree"), c.text("message"), fmt.Sprint(len(s.Commits)))
	s.Commits[sha] = &Commit{SHA: sha, Tree: c.text("tree"), Parents: parents, Message: c.text("message")}
	c.answer(http.StatusCreated, gitCommit(s.Commits[sha]))
}

// updateRef moves a branch forward, and only forward unless it is forced.
func (s *Server) updateRef(c *call) {
	branch := strings.TrimPrefix(c.params["ref"], "heads/")
	was, to := s.Branches[branch], c.text("sha")
	forward := false
	s.walk(to, func(sha string) bool { forward = forward || sha == was; return !forward })
	if force, _ := c.body["force"].(bool); was == "" || !forward && !force {
		c.refuse(http.StatusUnprocessableEntity, "Update is not a fast forward")
		return
	}
	s.Branches[branch] = to
	for _, p := range s.Pulls {
		if p.HeadRef == branch && p.HeadRepo == s.Repository {
			p.HeadSHA = to
		}
	}
	c.answer(http.StatusOK, map[string]any{"ref": "refs/heads/" + branch, "object": map[string]any{"sha": to, "type": "commit"}})
}
