#!/usr/bin/env bash
# Runs the gate with the action's inputs, which come as environment variables. The exit status is the verdict.
set -euo pipefail

args=(check --comment auto --key "$INPUT_KEY" --mode "$INPUT_MODE" -f json -o "$INPUT_REPORT")
[ "$INPUT_COMMENT" != off ] || args+=(--mode off)
[ -z "$INPUT_CONFIG" ] || args+=(--config "$INPUT_CONFIG")
[ -z "$INPUT_BASELINE" ] || args+=(--baseline "$INPUT_BASELINE")
[ -z "$INPUT_FAIL_ON" ] || args+=(--fail-on "$INPUT_FAIL_ON")
[ -z "$INPUT_SARIF" ] || args+=(-f sarif -o "$INPUT_SARIF")
[ -z "$INPUT_HTML" ] || args+=(-f html -o "$INPUT_HTML")
[ -z "$INPUT_JUNIT" ] || args+=(-f junit -o "$INPUT_JUNIT")
[ -z "${INPUT_CACHE:-}" ] || args+=(--cache "${INPUT_CACHE/#\~/$HOME}")
[ "$INPUT_CHECK_RUN" != true ] || args+=(--check-run)
[ "$INPUT_ACCEPT_COMMAND" != true ] || args+=(--accept-command)
[ "$INPUT_UPLOAD_SARIF" != true ] || args+=(--upload-sarif)
while IFS= read -r line; do
  [ -z "$line" ] || args+=(--target "$line")
done <<< "$INPUT_TARGETS"
while IFS= read -r line; do
  [ -z "$line" ] || args+=("$line")
done <<< "$INPUT_DUMP"

echo "report=$INPUT_REPORT" >> "$GITHUB_OUTPUT"
exec xlagate "${args[@]}"
