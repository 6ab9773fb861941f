"""What a check of a test says: passes, and the ways to fail."""

import pytest


def fails(project, *says):
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{line}*" for line in says])
    return result


def test_unchanged_model_passes(project):
    project("max_kernels=20, no_collectives=True, donated=['params'], max_temp='2MiB', max_compilations=1").run().assert_outcomes(passed=1)


def test_line_shift_passes(project):
    p = project()
    p.edit("class MLP", "\n\n\nclass MLP")
    p.run().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "old, new, says",
    [
        (", donate_argnums=0", "", "no longer updated in place: params*"),
        ("nn.gelu(nn.Dense(64)(x))", "nn.gelu(nn.Dense(512)(x))", "breaks max-step-time: *"),
        ("nn.gelu(", "jnp.cumsum(", "breaks max-step-time: *"),
    ],
)
def test_worse_than_the_baseline(project, old, new, says):
    p = project()
    p.edit(old, new)
    fails(p, says, "intended?  python -m pytest --xlagate-accept --xlagate-reason \"why\" test_model.py::test_step")


def test_bound_of_the_marker(project):
    p = project("max_kernels=20")
    p.edit("max_kernels=20", "max_kernels=2", "test_model.py")
    fails(p, "error *13 kernels: at most 2 allowed*", "a limit of the marker is not accepted: edit the marker of this test")


def test_bound_of_the_marker_is_not_accepted_away(project):
    p = project("max_kernels=20")
    p.edit("max_kernels=20", "max_kernels=2", "test_model.py")
    p.run("--xlagate-accept").assert_outcomes(failed=1)


def test_donation_of_the_marker(project):
    p = project()
    p.edit("xlagate()", "xlagate(donated=['x'])", "test_model.py")
    fails(p, "breaks donation-kept: 1 argument is not updated in place: x", "edit the marker of this test*")


def test_other_arguments(project):
    p = project()
    p.edit("(16, 32)", "(256, 32)")
    fails(p, "*x: f32?16,32? → f32?256,32?*")


def test_no_baseline(pytester, project):
    p = project()
    p.edit("test_step", "test_other", "test_model.py")
    result = fails(p, "no baseline for target test_model/test_other*")
    result.stdout.fnmatch_lines(["*no test uses the baseline .xlagate/test_model/test_step; remove it: git rm -r '.xlagate/test_model/test_step'"])


def test_unknown_keyword(project):
    p = project()
    p.edit("xlagate()", "xlagate(max_kernel=3)", "test_model.py")
    fails(p, "*max-kernel*")


def test_not_a_function(project):
    p = project()
    p.edit("check(step, params", "check(3, params", "test_model.py")
    fails(p, "3 is not a function: give a function*")


def test_accepting_a_change(project):
    p = project()
    p.edit("Dense(64)", "Dense(512)")
    p.run("--xlagate-accept", "--xlagate-reason", "wider").assert_outcomes(passed=1)
    p.run().assert_outcomes(passed=1)
    stored = "".join(f.read_text() for f in (p.pytester.path / ".xlagate").rglob("*.jsonl"))
    assert "wider" in stored


def test_two_workers(project):
    p = project()
    p.pytester.makepyfile(test_sizes="""
        import jax, pytest
        from model import params, step

        @pytest.mark.parametrize("size", [4, 8, 16, 32])
        def test_size(xlagate, size):
            xlagate.check(step, params, jax.ShapeDtypeStruct((size, 32), "float32"))
    """)
    p.pytester.runpytest_subprocess("-n", "2", "--xlagate-accept").assert_outcomes(passed=5)
    p.edit("[4, 8, 16, 32]", "[4, 8, 16]", "test_sizes.py")
    result = p.pytester.runpytest_subprocess("-n", "2")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["*no test uses the baseline .xlagate/test_sizes/test_size-32*"])


def test_compiled_function(project):
    p = project()
    p.edit("check(step, params, batch)", "check(step.lower(params, batch).compile())", "test_model.py")
    p.run("--xlagate-accept").assert_outcomes(passed=1)
    p.run().assert_outcomes(passed=1)
