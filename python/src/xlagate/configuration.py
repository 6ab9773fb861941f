"""Writes the xlagate.yaml of a check from the marker of its test."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Mapping, Sequence

# Short names of markers: the rule, and what the value becomes there.
SHORT = {"max_temp": "max-temp-bytes", "max_peak": "max-peak-bytes", "max_output": "max-output-bytes", "max_step": "max-step-time"}


def configuration(target: str, baseline: pathlib.Path, extends: Sequence[str], held: Mapping[str, Any], device: str | None = None) -> str:
    """Return a configuration with one target, for a device of xlagate's table. JSON is YAML as well, and needs no library."""
    rules = list(held.get("rules", []))
    rules += [rule(key, value) for key, value in held.items() if key not in ("rules", "extends")]
    content = {
        "version": 1,
        "extends": list(held.get("extends", extends)),
        "baseline": str(baseline),
        "targets": [{"name": target, "dump": "dump", **({"device": device} if device else {})}],
        "rules": rules,
    }
    return json.dumps({key: value for key, value in content.items() if value}, indent=2)


def rule(key: str, value: Any) -> dict[str, Any]:
    """Return the rule that a keyword of the marker means.

    A keyword is a rule's id with underscores. Its value is the rule's max, its options in a dict, or True for the rule as it is.
    """
    if key == "no_collectives":
        return {"rule": "max-collectives", "max": 0} if value else {"rule": "max-collectives", "level": "off"}
    if key == "donated":
        return {"rule": "donation-kept", "params": [leaves(name) for name in value]}
    entry: dict[str, Any] = {"rule": SHORT.get(key, key.replace("_", "-"))}
    if isinstance(value, Mapping):
        return {**entry, **value}
    if value is True:
        return entry
    if value is False:
        return {**entry, "level": "off"}
    return {**entry, "max": value}


def leaves(name: str) -> str:
    """Return the pattern of an argument and of everything in it: params is params['w'] and params.w as well."""
    return name if any(c in name for c in "*?[{") else f"{{{name},{name}[[]*,{name}.*}}"
