"""Checks each target on a Ray cluster, and merges the results: python check.py --output result.json

Every worker needs xlagate, the rule file and the dumps under the same names: on a shared file system, or in its image.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import ray
import yaml


@ray.remote(max_retries=5)
def check(target: str, config: str, directory: str) -> tuple[int, bytes, str]:
    """Checks one target. When its worker dies, another does it again: what the dead one found is lost, and never there twice."""
    command = ["xlagate", "check", "--config", config, "--target", target, "-f", "json"]
    done = subprocess.run(command, cwd=directory, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", "-c", default="xlagate.yaml")
    parser.add_argument("--output", "-o", default="result.json")
    options = parser.parse_args()

    ray.init(include_dashboard=False, log_to_driver=False)  # RAY_ADDRESS names a cluster; without it there is one on this machine
    targets = [t["name"] for t in yaml.safe_load(pathlib.Path(options.config).read_text())["targets"]]
    done = ray.get([check.remote(t, options.config, os.getcwd()) for t in targets])  # raises when a target's worker dies again and again

    with tempfile.TemporaryDirectory() as directory:
        results = []
        for i, (code, result, said) in enumerate(done):
            sys.stderr.write(said)
            if not result:  # the call was wrong: nothing was checked
                return code
            results.append(pathlib.Path(directory, f"{i}.json"))
            results[-1].write_bytes(result)
        merge = ["xlagate", "merge", "--config", options.config, "-f", "json", "-o", options.output, *results]
        return subprocess.run(merge, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
