"""Checks in parts on a Ray cluster, and merges them: python check.py --parts 8 --output result.json

Every worker needs xlagate, the rule file and the dumps under the same names: on a shared file system or in its image.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import ray


@ray.remote(max_retries=5)
def measure(shard: str, config: str, directory: str) -> tuple[int, bytes, str]:
    """Measures one part. When its worker dies, another does it again: what the dead one measured is lost, and never there twice."""
    command = ["xlagate", "check", "--config", config, "--shard", shard, "-f", "json"]
    done = subprocess.run(command, cwd=directory, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", "-c", default="xlagate.yaml")
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--output", "-o", default="result.json")
    options = parser.parse_args()

    ray.init(include_dashboard=False, log_to_driver=False)  # RAY_ADDRESS names a cluster; without it there is one on this machine
    shards = [f"{i}/{options.parts}" for i in range(options.parts)]
    done = ray.get([measure.remote(s, options.config, os.getcwd()) for s in shards])  # raises when a part dies again and again

    with tempfile.TemporaryDirectory() as directory:
        parts = []
        for i, (code, part, said) in enumerate(done):
            sys.stderr.write(said)
            if not part:  # the call was wrong: nothing was measured
                return code
            parts.append(pathlib.Path(directory, f"part-{i}.json"))
            parts[-1].write_bytes(part)
        merge = ["xlagate", "merge", "--config", options.config, "-f", "json", "-o", options.output, *parts]
        return subprocess.run(merge, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
