"""Fails where JAX compiles again what it compiled before."""

from __future__ import annotations

import contextlib
import fnmatch
import logging
import re
import sys
from typing import Any, Iterator, Sequence

TRACED, COMPILED = "/jax/core/compile/jaxpr_trace_duration", "/jax/core/compile/backend_compile_duration"


class Recompiled(AssertionError):
    """Something was compiled again inside no_recompilation()."""


@contextlib.contextmanager
def no_recompilation(allow: Sequence[str] = ()) -> Iterator[None]:
    """Fail when JAX compiles a function inside that it compiled before; name the function and the argument that differs.

    The first compilation of a function may be inside. allow lists patterns of functions that may be compiled again, as in allow=["eval_*"].
    """
    __tracebackhide__ = True
    import jax
    from jax import monitoring

    reasons = _Reasons()
    compilations = _Compilations(reasons)
    with _explaining(jax, reasons):
        monitoring.register_event_duration_secs_listener(compilations.note)
        try:
            yield
        finally:
            monitoring.unregister_event_duration_listener(compilations.note)
    unwanted = {name: why for name, why in compilations.again.items() if not any(fnmatch.fnmatchcase(name, pattern) for pattern in allow)}
    if unwanted:
        raise Recompiled("\n\n".join([f"compiled again inside no_recompilation(): {', '.join(unwanted)}", *(r for why in unwanted.values() for r in why)]))


class _Compilations:
    """Tells what is compiled again from what is compiled for the first time."""

    def __init__(self, reasons: _Reasons) -> None:
        self.again: dict[str, list[str]] = {}  # the functions, with what JAX says of each compilation
        self._reasons = reasons
        self._traced: set[str] = set()  # since the last compilation
        self._seen: set[str] = set()  # functions and where they are defined

    def note(self, event: str, duration_secs: float, **kwargs: str | int) -> None:
        name = str(kwargs.get("fun_name", "a function")).removeprefix("jit(").removesuffix(")")
        if event == TRACED:
            self._traced.add(name)
        if event == COMPILED:
            why = self._why_again(name)
            if why:
                self.again.setdefault(name, []).append(why)
            self._traced.clear()
            self._reasons.messages.clear()

    def _why_again(self, name: str) -> str:
        """Return why a function is compiled again, or nothing if this is the first time."""
        for reason in self._reasons.messages:
            if re.search(rf"\n  for {re.escape(name)}\s", reason):
                return reason
            first = re.search(rf"never seen function:\n +{re.escape(name)} id=\d+( defined at .*)?", reason)
            if first:
                return reason if self._was_seen(name + (first[1] or "")) and "but seen another function" in reason else ""
        if _is_of_jax(name):
            return ""
        if name not in self._traced:
            return f"{name} was traced before and is compiled again, as for another device, sharding or compiler option"
        return f"{name} was compiled before in here; JAX does not say why it is again" if self._was_seen(name) else ""

    def _was_seen(self, function: str) -> bool:
        seen = function in self._seen
        self._seen.add(function)
        return seen


def _is_of_jax(name: str) -> bool:
    """Report whether JAX has a function of this name. It explains no compilation of its own functions, so a user's is not taken for one."""
    return any(hasattr(module, name) for key, module in list(sys.modules.items()) if key.split(".")[0] == "jax")


class _Reasons(logging.Handler):
    """Keeps what JAX says of misses of its tracing cache."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if "CACHE MISS" in record.getMessage():
            self.messages.append(record.getMessage())


@contextlib.contextmanager
def _explaining(jax: Any, handler: logging.Handler) -> Iterator[None]:
    """Have JAX explain cache misses to the handler alone."""
    logger = logging.getLogger("jax._src.interpreters.partial_eval")
    before, propagates = jax.config.jax_explain_cache_misses, logger.propagate
    jax.config.update("jax_explain_cache_misses", True)
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.propagate = propagates
        logger.removeHandler(handler)
        jax.config.update("jax_explain_cache_misses", before)
