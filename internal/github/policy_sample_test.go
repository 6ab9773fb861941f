package github

import "github.com/xlagate/xlagate/internal/result"

func somePolicy() []result.PolicyChange {
	return []result.PolicyChange{{File: "xlagate.yaml", Effect: "looser", Subject: "max-kernels", Scope: "train_step", Text: "max 19 → 22"}}
}
