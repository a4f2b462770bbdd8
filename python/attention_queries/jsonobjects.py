"""Checking the keys of JSON objects."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from attention_queries.errors import InputError, shown


def check_keys(data: dict[str, Any], required: Set[str], optional: Set[str] = frozenset()) -> None:
    """Raise `InputError` unless the object has all required keys and none but these and the optional ones."""
    if missing := sorted(required - data.keys()):
        raise InputError(f"missing key {shown(missing[0])}")
    if unknown := sorted(data.keys() - required - optional):
        raise InputError(f"unknown key {shown(unknown[0])}")
