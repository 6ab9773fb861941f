package config

import (
	"github.com/xlagate/xlagate/internal/price"
	"github.com/xlagate/xlagate/internal/rule"
	"github.com/xlagate/xlagate/rules"
)

// Keys describes the top level of xlagate.yaml. The JSON Schema is made from it, as the errors are.
var Keys = []rule.Option{
	{Key: "version", Type: rule.Count, Least: 1, Require: true, Doc: "the version of the rule set: 1; new rules never turn on under an old version"},
	{Key: "extends", Type: rule.Words, Enum: rules.Packs(), Doc: "rule packs that ship with xlagate: recommended, strict, training, …; later ones win"},
	{Key: "baseline", Type: rule.Text, Default: ".xlagate", Doc: "where the accepted facts lie: a directory, git:REF:PATH or oci://REGISTRY/REPOSITORY:TAG"},
	{Key: "fail_on", Type: rule.Word, Enum: []string{"error", "warning", "never"}, Default: "error", Doc: "the level from which findings fail the gate"},
	{Key: "targets", Type: rule.Table, Fields: targetKeys, Doc: "the dumps that are looked at; without it, one target \"default\" from the command line"},
	{Key: "rules", Type: rule.Table, Empty: true, Doc: "the checks; see `xlagate rules`"},
	{Key: "waivers", Type: rule.Table, Empty: true, Fields: waiverKeys, Doc: "reasoned, dated permissions for single changes or findings"},
}

// targetKeys describes an entry under `targets:`.
var targetKeys = []rule.Option{
	{Key: "name", Type: rule.Text, Require: true, Doc: "what findings and the baseline call it; slashes make folders"},
	{Key: "dump", Type: rule.Glob, Doc: "the dump: a path, a glob or oci://REGISTRY/REPOSITORY:TAG"},
	{Key: "capture", Type: rule.Mapping, Fields: captureKeys, Doc: "a command whose dump is looked at"},
	{Key: "programs", Type: rule.Mapping, Fields: programKeys, Doc: "which programs count"},
	{Key: "device", Type: rule.Word, Enum: price.Names(), Doc: "what prices are predicted for; default: the dump's own device, else a reference one of its kind"},
	{Key: "samples", Type: rule.Count, Least: 1, Default: 1.0, Doc: "how many independent compiles the dump holds; facts that differ are marked unstable"},
	{Key: "require_fresh", Type: rule.Switch, Doc: "true: a dump that is older than an edit of a source that it names is no dump to look at (exit 3)"},
	{Key: "log", Type: rule.Globs, Doc: "compiler and framework logs as extra input"},
}

// captureKeys describes `capture:`.
var captureKeys = []rule.Option{
	{Key: "run", Type: rule.Text, Require: true, Doc: "the command, run by sh"},
	{Key: "env", Type: rule.Pairs, Doc: "environment variables for it"},
	{Key: "timeout", Type: rule.Seconds, Doc: "how long it may take: 20m"},
}

var programKeys = []rule.Option{
	{Key: "include", Type: rule.Globs, Doc: "programs that must be there and are looked at; default: all but the framework's one-op helpers"},
	{Key: "exclude", Type: rule.Globs, Empty: true, Doc: "programs that are left out"},
}

// waiverKeys describes an entry under `waivers:`.
var waiverKeys = []rule.Option{
	{Key: "finding", Type: rule.FindingID, Require: true, Doc: "the id of a change or of a finding: 12 hex digits"},
	{Key: "reason", Type: rule.Text, Require: true, Doc: "why it is allowed"},
	{Key: "owner", Type: rule.Text, Require: true, Doc: "who answers for it"},
	{Key: "expires", Type: rule.Day, Require: true, Doc: "the last day it holds: 2027-02-01"},
	{Key: "ceiling", Type: rule.Size, Doc: "the worst that is waived; anything beyond fails"},
}
