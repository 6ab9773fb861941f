package config

import (
	"cmp"
	_ "embed"
	"fmt"
	"path"
	"strings"
)

// Place is where the rule file is in its repository. A repository may hold several models, each with a rule file of its own.
type Place struct {
	Folder string // with slashes; "" at the top
	File   string // its name
}

// Model is what the rule file's model is called in the repository: "model" for xlagate.yaml at the top.
func (p Place) Model() string { return cmp.Or(strings.Trim(p.key(), ".-"), "model") }

// Codeowners returns the lines that require a review of every change of the rules or the baseline.
func (p Place) Codeowners() string {
	top := path.Join("/", p.Folder)
	return fmt.Sprintf("%s  @your-team\n%s/  @your-team\n", path.Join(top, p.File), path.Join(top, folder))
}

// WorkflowFile returns the path of the workflow in the repository. GitHub reads workflows in one folder at the top only.
func (p Place) WorkflowFile() string {
	return ".github/workflows/" + strings.TrimSuffix("xlagate-"+p.key(), "-") + ".yml"
}

// Workflow returns the gate on pull requests with the least rights that it needs: the job that runs the model's code may write nothing. install is the
// command that installs what the commands in the rule file need; where it is "", the rule file names dumps, which a command of the user's makes.
func (p Place) Workflow(install string) string {
	text := workflow
	if install != "" {
		text = strings.Replace(text, "pip install -r requirements.txt && make dumps # replace `make dumps` by what writes the dumps that xlagate.yaml names",
			install+" # what the command in xlagate.yaml needs", 1)
	}
	with, options, env := "", "", "" // of the gate's action, and of the command that comments
	if p.name() != "" {
		text = strings.NewReplacer("name: xlagate\n", fmt.Sprintf("name: %q\n", "xlagate "+p.name()), "group: xlagate-", "group: xlagate-"+p.key()+"-").Replace(text)
		with, options = fmt.Sprintf("          key: %s # its own comment and check\n", p.key()), " --key "+p.key()
	}
	if p.Folder != "" {
		text = strings.Replace(text, "    steps:\n", fmt.Sprintf("    defaults:\n      run: { working-directory: %q }\n    steps:\n", p.Folder), 1) // of the first job
		text = strings.Replace(text, "path: xlagate-report.json", fmt.Sprintf("path: %q", p.Folder+"/xlagate-report.json"), 1)
		with += fmt.Sprintf("          working-directory: %q\n", p.Folder)
	}
	if p.File != FileName {
		with += fmt.Sprintf("          config: %q\n", p.File)
	}
	if file := path.Join(p.Folder, p.File); file != FileName {
		options, env = options+` --config "$CONFIG"`, fmt.Sprintf("          CONFIG: %q\n", file)
	}
	return strings.NewReplacer(
		"          comment:", with+"          comment:",
		" --check-run #", " --check-run"+options+" #",
		"          GITHUB_TOKEN:", env+"          GITHUB_TOKEN:",
	).Replace(text)
}

// name tells the gates of a repository apart: "services/ml" of services/ml/xlagate.yaml, "serving" of serving.yaml, "" of xlagate.yaml at the top.
func (p Place) name() string {
	if p.File == FileName {
		return p.Folder
	}
	return path.Join(p.Folder, strings.TrimSuffix(p.File, path.Ext(p.File)))
}

// key is the name as the action's input of that name takes it, which a file can be called too.
func (p Place) key() string {
	plain := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, p.name())
	return plain[max(0, len(plain)-60):]
}

// workflow is examples/workflows/xlagate.yml.
//
//go:embed workflow.yml
var workflow string
