#!/usr/bin/env python3
"""Cuts the operations that xlagate calls out of GitHub's own OpenAPI description.

    npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
    ./trim.py package/generated/api.github.com.json > openapi.json
"""
import json
import sys

OPERATIONS = """
actions/download-artifact actions/get-workflow-run actions/list-workflow-run-artifacts actions/list-workflow-runs
actions/list-workflow-runs-for-repo checks/create checks/list-for-ref checks/update code-scanning/upload-sarif
git/get-blob git/get-commit git/get-tree
issues/create-comment issues/list-comments issues/update-comment pulls/get
pulls/list reactions/create-for-issue-comment repos/compare-commits repos/create-commit-status repos/get-collaborator-permission-level
repos/get-content repos/list-pull-requests-associated-with-commit users/get-authenticated
""".split()

# What validates nothing.
TALK = {"description", "summary", "example", "examples", "externalDocs", "tags", "title", "x-github", "x-webhooks", "x-github-breaking-changes"}


def silent(node, name=""):
    """Leaves out prose, but not a property that happens to be called so."""
    if isinstance(node, list):
        return [silent(n) for n in node]
    if isinstance(node, dict):
        return {k: silent(v, k) for k, v in node.items() if name in ("properties", "responses", "schemas") or k not in TALK}
    return node


def references(node):
    if isinstance(node, list):
        for n in node:
            yield from references(n)
    elif isinstance(node, dict):
        for k, v in node.items():
            if k == "$ref":
                yield v
            else:
                yield from references(v)


def main():
    whole = json.load(open(sys.argv[1]))
    paths, missing = {}, set(OPERATIONS)
    for path, item in whole["paths"].items():
        kept = {m: silent(o) for m, o in item.items() if isinstance(o, dict) and o.get("operationId") in OPERATIONS}
        missing -= {o["operationId"] for o in kept.values()}
        if kept:
            paths[path] = kept
    if missing:
        sys.exit(f"not in {sys.argv[1]}: {', '.join(sorted(missing))}")
    components, todo = {}, list(references(paths))
    while todo:
        _, _, kind, name = todo.pop().split("/")
        if name not in components.setdefault(kind, {}):
            components[kind][name] = silent(whole["components"][kind][name])
            todo += references(components[kind][name])
    for response in (r for p in paths.values() for o in p.values() for r in o["responses"].values()):
        response.setdefault("description", "")  # OpenAPI wants one
    for response in components.get("responses", {}).values():
        response.setdefault("description", "")
    out = {"openapi": whole["openapi"], "info": {"title": whole["info"]["title"], "version": whole["info"]["version"]}, "paths": paths, "components": components}
    json.dump(out, sys.stdout, sort_keys=True, separators=(",", ":"))


main()
