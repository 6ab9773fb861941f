"""Small files that ask for much: bombs.py XLAGATE. With --max-memory 1GiB each is refused with its figure and the flag, in little time and memory."""
import gzip
import io
import lzma
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib

MODULE = "HloModule jit_f, is_scheduled=true\n\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4]{0} parameter(0)\n  ROOT %y = f32[4]{0} negate(%x)\n}\n"
LIMIT = "1GiB"
NAME = "module_0001.jit_f.cpu_after_optimizations.txt"


def nested(depth):
    """Fusions in fusions, each of which is called twice: a print that writes bodies in place doubles with each."""
    text = ["HloModule jit_f, is_scheduled=true\n"]
    text.append("%f0 (p: f32[4]) -> f32[4] {\n  %p.0 = f32[4]{0} parameter(0)\n  ROOT %n.0 = f32[4]{0} negate(%p.0)\n}\n")
    for i in range(1, depth):
        text.append(f"%f{i} (p: f32[4]) -> f32[4] {{\n  %p.{i} = f32[4]{{0}} parameter(0)\n  %a.{i} = f32[4]{{0}} fusion(%p.{i}), kind=kLoop, calls=%f{i-1}\n"
                    f"  ROOT %n.{i} = f32[4]{{0}} fusion(%a.{i}), kind=kLoop, calls=%f{i-1}\n}}\n")
    text.append(f"ENTRY %main (x: f32[4]) -> f32[4] {{\n  %x = f32[4]{{0}} parameter(0)\n  ROOT %y = f32[4]{{0}} fusion(%x), kind=kLoop, calls=%f{depth-1}\n}}\n")
    return "\n".join(text)


def zeros(size):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as f:
        f.write(MODULE.encode())
        for _ in range(size >> 20):
            f.write(b" " * (1 << 20))
    return out.getvalue()


def greedy(text):
    """An xz whose header asks for a dictionary of 4 GiB."""
    packed = bytearray(lzma.compress(text, format=lzma.FORMAT_XZ))
    head = 12
    end = head + (packed[head] + 1) * 4
    packed[packed.index(b"\x21\x01", head) + 2] = 40
    packed[end - 4:end] = zlib.crc32(bytes(packed[head:end - 4])).to_bytes(4, "little")
    return bytes(packed)


def archive(path):
    with tarfile.open(path, "w:gz") as t:
        info = tarfile.TarInfo(NAME)
        info.size = 1 << 30

        class Spaces(io.RawIOBase):
            begun = False

            def readable(self):
                return True

            def readinto(self, b):
                b[:] = b" " * len(b)
                if not self.begun:
                    b[:len(MODULE)] = MODULE.encode()
                self.begun = True
                return len(b)

        t.addfile(info, io.BufferedReader(Spaces(), 1 << 20))


def zipped(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z, z.open(NAME, "w", force_zip64=True) as f:
        f.write(MODULE.encode())
        for _ in range(1 << 10):
            f.write(b" " * (1 << 20))


def crowded(path):
    with zipfile.ZipFile(path, "w") as z:
        for i in range(200_000):
            z.writestr(f"m{i:06}.txt", b"")


def bombs(at):
    """Name, what is written, arguments, exit status."""
    def dump(name, data, file=NAME):
        folder = at / name
        folder.mkdir()
        (folder / file).write_bytes(data)
        return ["inspect", "--max-memory", LIMIT, str(folder)]

    yield "1 MB of gzip with 1 GiB in it", dump("gzip", zeros(1 << 30), NAME + ".gz"), {2, 3}
    for i in range(8):
        (at / "eight").mkdir(exist_ok=True)
        (at / "eight" / NAME.replace("0001", f"{i:04}")).with_suffix(".txt.gz").write_bytes(zeros(240 << 20))
    yield "8 gzips with 240 MiB each", ["inspect", "--max-memory", LIMIT, str(at / "eight")], {0, 3}
    yield "180 bytes of xz that ask for a dictionary of 4 GiB", dump("xz", greedy(MODULE.encode()), NAME + ".xz"), {3}
    yield "forty of them in one file", dump("xzs", greedy(MODULE.encode()) * 40, NAME + ".xz"), {3}
    yield "1.5 MB of newlines behind a module", dump("newlines", (MODULE + "\n" * 1_500_000).encode()), {0, 3}
    yield "60 fusions, each calling the one below twice", dump("nested", nested(60).encode()), {0, 3}
    yield "their canonical print", ["diff", "--max-memory", LIMIT, str(at / "nested"), str(at / "nested")], {0, 1, 3}
    yield "a tar.gz with an entry of 1 GiB", (archive(at / "a.tar.gz"), ["inspect", "--max-memory", LIMIT, str(at / "a.tar.gz")])[1], {2, 3}
    yield "a zip with an entry of 1 GiB", (zipped(at / "a.zip"), ["inspect", "--max-memory", LIMIT, str(at / "a.zip")])[1], {2, 3}
    config = at / "big.yaml"
    with config.open("w") as f:
        f.write("version: 1\nrules:\n")
        while f.tell() < 300 << 20:
            f.write("  - { rule: max-kernels, max: 5 }\n" * 10000)
    yield "an xlagate.yaml of 300 MB", ["check", "--max-memory", LIMIT, "-c", str(config), str(at / "newlines")], {2, 3}
    alias = at / "alias.yaml"
    rows = ["version: 1", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i-1}'] * 10)}]" for i in range(1, 12)]
    alias.write_text("\n".join(rows) + "\nrules: *a11\n")
    yield "an xlagate.yaml of aliases of aliases", ["check", "--max-memory", LIMIT, "-c", str(alias), str(at / "newlines")], {2, 3}
    depth = at / "deep.json"
    depth.write_text("[" * 5_000_000)
    yield "a result of 5 million brackets", ["report", str(depth)], {2, 3}
    # Last: what this process itself needs for these is the least that is measured for any later one.
    dump("escapes", MODULE.encode())
    with (at / "escapes" / NAME.replace(".cpu_after_optimizations.txt", ".debug_options")).open("wb") as f:
        f.write(b'xla_dump_to: "')
        for _ in range(1000):
            f.write(b"\\x1b" * 10_000)
        f.write(b'"\n')
    yield "40 MB of escape sequences in one string", ["inspect", "--max-memory", LIMIT, str(at / "escapes")], {0, 3}
    yield "a zip with 200,000 empty files", (crowded(at / "many.zip"), ["inspect", "--max-memory", LIMIT, str(at / "many.zip")])[1], {3}


def measured(command):
    start = time.monotonic()
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=tempfile.gettempdir())
    out = p.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(p.pid, 0)
    return os.waitstatus_to_exitcode(status), out, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10


def main():
    bad = 0
    print("| bomb | exit | seconds of CPU | peak, MB | what is said |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments, wanted in bombs(pathlib.Path(folder)):
            code, out, _, cpu, peak = measured([sys.argv[1], *arguments])
            lines = [l.strip() for l in out.splitlines() if "the most" in l or "at most" in l or "more than" in l or "too deep" in l or "is empty" in l]
            lines.sort(key=lambda l: "the most" not in l)
            said = (lines or out.strip().splitlines() or [""])[0].replace(folder + "/", "").replace("|", "/")
            said = said.split(": ", 1)[-1] if said.count(NAME) > 1 else said  # a path, and an error that names it
            good = code in wanted and cpu < 20 and peak < 1024
            bad += not good
            print(f"| {name} | {code} | {cpu:.1f} | {peak} | {said if code else 'read'} |" + ("" if good else " **NOT GOOD**"), flush=True)
    print(f"\n{bad} bombs are not refused or take too much" if bad else "\nall bombs are refused, or read in less than 20 s of CPU and 1 GiB")
    sys.exit(bad > 0)


main()
