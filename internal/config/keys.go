package config

import "github.com/xlagate/xlagate/rules"

// Keys describes the top level of xlagate.yaml. The JSON Schema is made from it, as the errors are.
var Keys = []rules.Option{
	{Key: "version", Type: rules.Count, Least: 1, Require: true, Doc: "the version of the rule set: 1; new rules never turn on under an old version"},
	{Key: "extends", Type: rules.Words, Enum: rules.Packs(), Doc: "rule packs that ship with xlagate: recommended, strict, training, …; later ones win"},
	{Key: "baseline", Type: rules.Text, Default: ".xlagate", Doc: "where the accepted facts lie: a directory, git:REF:PATH or oci://REGISTRY/REPOSITORY:TAG"},
	{Key: "fail_on", Type: rules.Word, Enum: []string{"error", "warning", "never"}, Default: "error", Doc: "the level from which findings fail the gate"},
	{Key: "targets", Type: rules.Table, Fields: targetKeys, Doc: "the dumps that are looked at; without it, one target \"default\" from the command line"},
	{Key: "rules", Type: rules.Table, Empty: true, Doc: "the checks; see `xlagate rules`"},
	{Key: "waivers", Type: rules.Table, Empty: true, Fields: waiverKeys, Doc: "reasoned, dated permissions for single findings"},
}

// targetKeys describes an entry under `targets:`.
var targetKeys = []rules.Option{
	{Key: "name", Type: rules.Text, Require: true, Doc: "what findings and the baseline call it; slashes make folders"},
	{Key: "dump", Type: rules.Glob, Doc: "the dump: a path, a glob or oci://REGISTRY/REPOSITORY:TAG"},
	{Key: "capture", Type: rules.Mapping, Fields: captureKeys, Doc: "a command whose dump is looked at"},
	{Key: "programs", Type: rules.Mapping, Fields: programKeys, Doc: "which programs count"},
	{Key: "samples", Type: rules.Count, Least: 1, Default: 1.0, Doc: "how many independent compiles the dump holds; facts that differ are marked unstable"},
	{Key: "log", Type: rules.Globs, Doc: "compiler and framework logs as extra input"},
}

// captureKeys describes `capture:`.
var captureKeys = []rules.Option{
	{Key: "run", Type: rules.Text, Require: true, Doc: "the command, run by sh"},
	{Key: "env", Type: rules.Pairs, Doc: "environment variables for it"},
	{Key: "timeout", Type: rules.Seconds, Doc: "how long it may take: 20m"},
}

var programKeys = []rules.Option{
	{Key: "include", Type: rules.Globs, Doc: "programs that must be there and are looked at; default: all but the framework's one-op helpers"},
	{Key: "exclude", Type: rules.Globs, Empty: true, Doc: "programs that are left out"},
}

// waiverKeys describes an entry under `waivers:`.
var waiverKeys = []rules.Option{
	{Key: "finding", Type: rules.FindingID, Require: true, Doc: "the finding's id: 12 hex digits"},
	{Key: "reason", Type: rules.Text, Require: true, Doc: "why it is allowed"},
	{Key: "owner", Type: rules.Text, Require: true, Doc: "who answers for it"},
	{Key: "expires", Type: rules.Day, Require: true, Doc: "the last day it holds: 2027-02-01"},
	{Key: "ceiling", Type: rules.Size, Doc: "the worst that is waived; anything beyond fails"},
}
