"""What was compiled before is not compiled again, and is judged as if it were."""

import importlib.util
import os
import pathlib
import zipfile

import jax
import jax.numpy as jnp
import pytest

import xlagate
from xlagate.compiled import produce
from xlagate.kept import Kept

BEFORE = "*xlagate: 1 of 1 programs were compiled before, and are not compiled again*"


def step(x):
    return jnp.sin(x) @ x


def known(to, function, *args, device=None):
    """Return whether the function was not compiled."""
    return produce(to, function, args, {}, device)


def files(folder):
    return {file.name.split(".", 1)[1]: file.read_bytes() for file in folder.glob("module_*")}


def test_unchanged_program(project):
    p = project()
    p.run().stdout.fnmatch_lines([BEFORE])
    p.run("--xlagate-compile").stdout.no_fnmatch_line(BEFORE)


def test_lines_that_moved(project):
    p = project("max_kernels=20")
    p.edit("class MLP", "# a comment\n\nclass MLP")
    p.run().stdout.fnmatch_lines([BEFORE])
    p.edit("max_kernels=20", "no_host_callback={'level': 'error'}, max_kernels=2", "test_model.py")
    result = p.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*13 kernels: at most 2 allowed*", BEFORE])


SOURCE = """
def layer(w, x):
    return jax.nn.softmax(x @ w) * jnp.where(x > 0, x, 0)


def model(w, x):
    for _ in range(2):
        x = jax.nn.gelu(layer(w, x)); x = layer(w, x)
    return jnp.sort(x).sum()


def gradient(w, x):
    return jax.grad(model)(w, x)
"""


def traced(source, folder):
    """Return the function of a source file, lowered."""
    (folder / "model.py").write_text("import jax, jax.numpy as jnp\n" + source)
    names = {}
    exec(compile((folder / "model.py").read_text(), str(folder / "model.py"), "exec"), names)
    jax.clear_caches()
    return jax.jit(names["gradient"]).lower(jnp.ones((8, 8)), jnp.ones((4, 8)))


@pytest.mark.parametrize("device", ["cpu"])
@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("def model", "# a comment\n\ndef model", True),
        ("def layer", "\n\ndef layer", True),
        ("x @ w)", "x  @  w)", True),
        ("    return jax.nn.softmax(x @ w) *", "    # one\n    return jax.nn.softmax(x @ w) *", True),
        ("* jnp.where", "* \\\n        jnp.where", True),
        ("); x = layer(w, x)", ")\n        x = layer(w, x)", True),
        ("softmax", "log_softmax", False),
        ("layer", "block", False),
    ],
)
def test_moved_dump_is_that_of_a_compilation(tmp_path, monkeypatch, kept, device, old, new, expected):
    """What is restored has the places of the lines of today, as XLA writes them."""
    before = traced(SOURCE, tmp_path)
    known(tmp_path / "before", before)
    after = traced(SOURCE.replace(old, new), tmp_path)
    assert known(tmp_path / "restored", after) is expected
    monkeypatch.setenv("XLAGATE_CACHE", "")
    assert not known(tmp_path / "compiled", after)
    restored, compiled = files(tmp_path / "restored"), files(tmp_path / "compiled")
    assert {n for n in restored if n.endswith(".txt")} == {n for n in compiled if n.endswith(".txt")}
    for name in compiled:
        if name.endswith("optimizations.txt"):
            assert restored[name] == compiled[name]


def test_the_same_dump(tmp_path):
    x = jnp.ones((8, 8))
    first, second = (jax.jit(step).lower(x) for _ in range(2))
    assert not known(tmp_path / "first", first)
    assert known(tmp_path / "second", second)
    assert files(tmp_path / "first") == files(tmp_path / "second")


@pytest.mark.parametrize(
    "other",
    [
        lambda: (jax.jit(step), jnp.ones((9, 9))),
        lambda: (jax.jit(step, donate_argnums=0), jnp.ones((8, 8))),
        lambda: (jax.jit(step, compiler_options={"xla_cpu_enable_fast_math": True}), jnp.ones((8, 8))),
        lambda: (jax.jit(lambda y: jnp.sin(y) @ y), jnp.ones((8, 8))),
    ],
    ids=["shape", "donation", "option", "name"],
)
def test_other_program(tmp_path, other):
    for i, program in enumerate([(jax.jit(step), jnp.ones((8, 8))), other()]):
        assert not known(tmp_path / str(i), *program)


def test_baked_constant(tmp_path):
    for i in range(2):
        table = jnp.arange(10_000.0).at[5_000].add(i)
        assert not known(tmp_path / str(i), lambda x: x + table, jnp.ones(10_000))


def test_other_flags(tmp_path, monkeypatch):
    for i, (flags, expected) in enumerate([("", False), ("--xla_dump_to=/tmp/x", True), ("--xla_cpu_x=1", False), ("--xla_x=/file", None)]):
        monkeypatch.setenv("XLA_FLAGS", flags)
        if expected is None:
            assert Kept.of(jax.jit(step).lower(jnp.ones((8, 8)))) is None
        else:
            assert known(tmp_path / str(i), step, jnp.ones((8, 8))) is expected


@pytest.mark.parametrize("cut", [0, 1, -300])
def test_damaged_dump(tmp_path, kept, cut):
    x = jnp.ones((8, 8))
    known(tmp_path / "cold", step, x)
    (archive,) = kept.rglob("*.zip")
    data = archive.read_bytes()
    archive.write_bytes(data[:cut] if cut else data[:300] + bytes([data[300] ^ 1]) + data[301:])
    assert not known(tmp_path / "damaged", step, x)
    assert known(tmp_path / "again", step, x)


@pytest.mark.parametrize("name", ["../module_0000.jit_step.txt", "/tmp/xlagate-forged.txt", "module/../../forged.txt"])
def test_forged_archive(tmp_path, kept, name):
    x = jnp.ones((8, 8))
    known(tmp_path / "cold", step, x)
    (archive,) = kept.rglob("*.zip")
    with zipfile.ZipFile(archive, "a") as forged:
        forged.writestr(name, "")
    before = set(tmp_path.iterdir())
    assert not known(tmp_path / "forged", step, x)
    assert len(list((tmp_path / "forged").glob("*.before_optimizations.txt"))) == 1
    assert set(tmp_path.iterdir()) - before == {tmp_path / "forged"} and not os.path.exists("/tmp/xlagate-forged.txt")


def test_packed_dump(tmp_path, kept):
    """A kept dump whose lines did not move is checked in its archive, if that is whole."""

    def packed(name):
        archive = tmp_path / f"{name}.zip"
        return produce(tmp_path / name, step, (jnp.ones((8, 8)),), {}, None, archive), archive.exists()

    assert packed("cold") == (False, False)
    assert packed("warm") == (True, True) and not any((tmp_path / "warm").iterdir())
    with zipfile.ZipFile(tmp_path / "warm.zip") as archive:
        restored = {name.split(".", 1)[1]: archive.read(name) for name in archive.namelist() if name.startswith("module_")}
        record = archive.read("xlagate-toolchain.json")
    assert restored == files(tmp_path / "cold") and record == (tmp_path / "cold" / "xlagate-toolchain.json").read_bytes()
    (archive,) = kept.rglob("*.zip")
    whole = archive.read_bytes()
    for i in (0, len(whole) // 2, len(whole) - 1):
        for damaged in (whole[:i], whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :]):
            archive.write_bytes(damaged)
            assert not packed(f"damaged{i}-{len(damaged)}")[1]


def test_folder_with_another_dump(tmp_path):
    def other(x):
        return x + 1

    x = jnp.ones((8, 8))
    assert not known(tmp_path / "both", step, x) and not known(tmp_path / "both", other, x)
    assert not known(tmp_path / "one", other, x) and known(tmp_path / "two", other, x)
    assert len(list((tmp_path / "two").glob("*.before_optimizations.txt"))) == 1


def test_relative_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [known(pathlib.Path(name), step, jnp.ones((8, 8))) for name in ("cold", "warm")] == [False, True]


def test_cache_of_jax(tmp_path, monkeypatch):
    """XLA dumps only part of a program that JAX takes from its own cache."""
    monkeypatch.setenv("XLAGATE_CACHE", "")
    settings = {"jax_compilation_cache_dir": str(tmp_path / "jax"), "jax_persistent_cache_min_compile_time_secs": 0.0, "jax_persistent_cache_min_entry_size_bytes": -1}
    before = {name: getattr(jax.config, name) for name in settings}
    for name, value in settings.items():
        jax.config.update(name, value)
    try:
        jax.jit(step)(jnp.ones((8, 8)))
        xlagate.dump(tmp_path / "dump", step, jnp.ones((8, 8)))
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
    assert list((tmp_path / "dump").glob("*.before_optimizations.txt"))


def lowered():
    return jax.jit(step).lower(jnp.ones((8, 8)))


def test_compile(tmp_path, monkeypatch, capfd):
    first, second = tmp_path / "first", tmp_path / "second"
    for to in first, second:
        to.mkdir()
        monkeypatch.setenv("XLAGATE_DUMP", str(to))
        compiled = [xlagate.compile(program) for program in [lowered()]]
    assert compiled == [None]
    assert files(first) == files(second)
    assert "xlagate: module_900000.jit_step was compiled before, and is not compiled again\n" in capfd.readouterr().err


def test_compile_outside_of_a_capture(monkeypatch):
    monkeypatch.delenv("XLAGATE_DUMP", raising=False)
    for _ in range(2):
        assert xlagate.compile(lowered())(jnp.zeros((8, 8))).sum() == 0


def test_compile_of_a_function():
    with pytest.raises(xlagate.NotCompiled, match="is not what lower\\(\\) returned"):
        xlagate.compile(jax.jit(step))


def test_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XLAGATE_CACHE", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="is not kept"):
        assert not known(tmp_path / "cold", step, jnp.ones((8, 8)))


@pytest.mark.skipif(importlib.util.find_spec("libtpu") is None, reason="libtpu, the TPU's compiler, is not installed")
def test_device_that_is_not_here(tmp_path):
    assert [known(tmp_path / str(i), step, jnp.ones((256, 256)), device=device) for i, device in enumerate(["tpu-v5e", "tpu-v6e", "tpu-v5e"])] == [False, False, True]
