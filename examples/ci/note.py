"""Keeps one note on a GitLab merge request: note.py FILE, in a job of a merge request pipeline with XLAGATE_TOKEN set."""

import json
import os
import sys
import urllib.request

MARK = "<!-- xlagate -->"


def call(method, path, body=None):
    url = f"{os.environ['CI_API_V4_URL']}/projects/{os.environ['CI_PROJECT_ID']}/merge_requests/{os.environ['CI_MERGE_REQUEST_IID']}/notes{path}"
    headers = {"PRIVATE-TOKEN": os.environ["XLAGATE_TOKEN"], "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer), answer.headers.get("X-Next-Page")


def own_note():
    page = "1"
    while page:
        notes, page = call("GET", f"?per_page=100&page={page}")
        for note in notes:
            if note["body"].startswith(MARK):
                return note["id"]
    return None


if not os.environ.get("XLAGATE_TOKEN"):
    sys.exit("XLAGATE_TOKEN is not set: no note is written")
with open(sys.argv[1], encoding="utf-8") as file:
    text = {"body": MARK + "\n" + file.read()}
note = own_note()
call("PUT", f"/{note}", text) if note else call("POST", "", text)
