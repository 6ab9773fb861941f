package fakegithub

import (
	"crypto/sha1"
	"encoding/base64"
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

// getTree lists the files of a revision; their folders are left out.
func (s *Server) getTree(c *call) {
	commit := s.resolve(c.params["tree_sha"])
	if commit == nil {
		c.refuse(http.StatusNotFound, "Not Found")
		return
	}
	entries := []any{}
	for _, name := range slices.Sorted(maps.Keys(s.Trees[commit.Tree])) {
		entries = append(entries, map[string]any{"path": name, "mode": "100644", "type": "blob", "sha": blobName(s.Trees[commit.Tree][name])})
	}
	c.answer(http.StatusOK, map[string]any{"sha": commit.Tree, "truncated": false, "tree": entries})
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

// commitOnBranch answers createCommitOnBranch: it commits on top of a branch that is just where the caller takes it to be.
func (s *Server) commitOnBranch(input map[string]any) any {
	branch, _ := input["branch"].(map[string]any)["branchName"].(string)
	head := s.Branches[branch]
	if head == "" || head != input["expectedHeadOid"] {
		return refusal("STALE_DATA", fmt.Sprintf("Expected branch to point to %q but it did not. Pull and try again.", head))
	}
	files := maps.Clone(s.Files(head))
	changes := input["fileChanges"].(map[string]any)
	for _, entry := range changes["additions"].([]any) {
		e := entry.(map[string]any)
		content, err := base64.StdEncoding.DecodeString(e["contents"].(string))
		if err != nil {
			return refusal("UNPROCESSABLE", "contents is no base64")
		}
		files[e["path"].(string)] = string(content)
	}
	for _, entry := range changes["deletions"].([]any) {
		delete(files, entry.(map[string]any)["path"].(string))
	}
	message := input["message"].(map[string]any)
	tip := s.Commit(files, fmt.Sprintf("%s\n\n%s", message["headline"], message["body"]), head)
	s.Branches[branch] = tip
	for _, p := range s.Pulls {
		if p.HeadRef == branch && p.HeadRepo == s.Repository {
			p.HeadSHA = tip
		}
	}
	return map[string]any{"data": map[string]any{"createCommitOnBranch": map[string]any{"commit": map[string]any{"oid": tip}}}}
}
