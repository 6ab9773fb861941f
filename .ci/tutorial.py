"""Holds what a tutorial shows to what its commands printed: tutorial.py PAGE PRINTED [--write].

A shown line, in the code below <!-- live -->, is a part of a printed one, or the beginning of one up to "…"; so is every id of a change that the page names. With --write the page gets the
numbers and the id that were printed.
"""

import pathlib
import re
import sys

NUMBER = r"[0-9][0-9.,]*"
LIVE = re.compile(r"(?<=<!-- live -->\n```\n).*?(?=```\n)", re.DOTALL)
ID = re.compile(r"\b[0-9a-f]{12}\b")


def printed(line, told):
    """The line as it was printed: with these numbers, else with others; None if it was not."""
    if line in told or line == "…":
        return line
    begin = line.removesuffix("…")
    found = re.search(NUMBER.join(map(re.escape, re.split(NUMBER, begin))), told)
    return found and found[0] + line[len(begin) :]


def main(page, told, write):
    shown, ids = page.read_text(), sorted(set(ID.findall(told)))
    if not LIVE.search(shown):
        sys.exit(f"{page} shows nothing that was printed")
    missing = []

    def current(block):
        lines = []
        for line in block[0].splitlines():
            now = printed(line, told)
            if now is None:
                missing.append(line)
            lines.append(now or line)
        return "\n".join(lines) + "\n"

    fresh = LIVE.sub(current, shown)
    if len(ids) == 1:
        fresh = ID.sub(ids[0], fresh)
    if missing:
        sys.exit(f"{told}\n{page} shows what is not printed: " + "; ".join(missing))
    if write:
        page.write_text(fresh)
    elif fresh != shown:
        differ = [f"{was}\n  is printed as\n{now}" for was, now in zip(shown.splitlines(), fresh.splitlines()) if was != now]
        sys.exit(f"{page}: WRITE=1 .ci/run build tutorials tutorial_pytest writes it anew\n" + "\n".join(differ))


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text(), "--write" in sys.argv)
