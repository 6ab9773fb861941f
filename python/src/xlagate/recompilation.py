"""Fails where JAX compiles what should have been compiled already."""

from __future__ import annotations

import contextlib
import fnmatch
import logging
from typing import Any, Iterator, Sequence

COMPILED = "/jax/core/compile/backend_compile_duration"


class Recompiled(AssertionError):
    """Something was compiled inside no_recompilation()."""


@contextlib.contextmanager
def no_recompilation(allow: Sequence[str] = ()) -> Iterator[None]:
    """Fail when JAX compiles anything inside; name the function and the argument that differs.

    allow lists patterns of functions that may be compiled all the same, as in allow=["broadcast_in_dim"].
    """
    __tracebackhide__ = True
    import jax
    from jax import monitoring

    compiled: list[str] = []

    def note(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event == COMPILED:
            compiled.append(str(kwargs.get("fun_name", "a function")).removeprefix("jit(").removesuffix(")"))

    reasons = _Reasons()
    with _explaining(jax, reasons):
        monitoring.register_event_duration_secs_listener(note)
        try:
            yield
        finally:
            monitoring.unregister_event_duration_listener(note)
    unwanted = [name for name in dict.fromkeys(compiled) if not any(fnmatch.fnmatchcase(name, pattern) for pattern in allow)]
    if unwanted:
        raise Recompiled(_message(unwanted, reasons.messages))


def _message(names: Sequence[str], reasons: Sequence[str]) -> str:
    lines = [f"compiled inside no_recompilation(): {', '.join(names)}"]
    for reason in reasons:
        if any(f"for {name} " in reason for name in names):
            lines += ["", reason]
    return "\n".join(lines)


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
