package config

import "strings"

// Codeowners are the lines that require a review of every change of the rules or the baseline.
const Codeowners = "/xlagate.yaml  @your-team\n/.xlagate/     @your-team\n"

// CapturingWorkflow is Workflow where xlagate.yaml says by which command the dumps are made. The packages are what installs what the command needs,
// as pip takes them.
func CapturingWorkflow(packages string) string {
	return strings.Replace(Workflow, "pip install -r requirements.txt && make dumps # your code: write the dumps that xlagate.yaml names", "pip install "+packages+" # what the command in xlagate.yaml needs", 1)
}

// Workflow is the gate on pull requests with the least rights that it needs: examples/workflows/xlagate.yml.
const Workflow = `# The gate on pull requests, with the least rights that it needs. No paths filter: a required check has to report always.
name: xlagate
on:
  pull_request: {}
  merge_group: {}
permissions: {}
concurrency:
  group: xlagate-${{ github.event.pull_request.number || github.ref }}
  cancel-in-progress: true
jobs:
  gate:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      pull-requests: write # the comment; on pull requests from forks GitHub makes it read
      checks: write # the annotations
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          persist-credentials: false
          fetch-depth: 0 # with the base branch, by whose policy the pull request is judged as well
      - run: pip install -r requirements.txt && make dumps # your code: write the dumps that xlagate.yaml names
      - uses: xlagate/xlagate@main # zizmor: ignore[unpinned-uses] pin the commit of the release that you use
        with:
          check-run: true
          # accept-command: true # with xlagate-accept.yml: the comment shows the line that sets it off
      - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
        if: ${{ !cancelled() }}
        with:
          name: xlagate-report
          path: xlagate-report.json
          retention-days: 14
`
