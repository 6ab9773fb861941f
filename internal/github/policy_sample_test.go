package github

import "github.com/xlagate/xlagate/internal/policy"

func somePolicy() []policy.Change {
	return []policy.Change{{File: "xlagate.yaml", Effect: policy.Looser, Subject: "max-kernels", Scope: "train_step", Text: "max 19 → 22"}}
}
