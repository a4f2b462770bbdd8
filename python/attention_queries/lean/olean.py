"""Read names from a compiled Lean module (`.olean`).

Such a file is a header (with the address that the file is made for) and Lean objects that point at each other. Only
three kinds of objects matter here: names, strings, and the array of the module's constants.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from attention_queries.errors import LeanError

_BASE = 80  # the header: "olean", two bytes, 33 bytes of version, 40 of commit, the base address, the root's address
_ROOT = 88
_ARRAY, _STRING = 246, 249  # tags of objects; smaller tags number the constructors of inductive types
_ANONYMOUS = 1  # the address that stands for `Name.anonymous`
_NAME_STR, _NAME_NUM = 1, 2
_NAME_STR_HEADER = (_NAME_STR << 56) | (2 << 48) | (32 << 32)  # tag, object fields, size with header and hash


class Olean:
    """A compiled module."""

    def __init__(self, path: Path) -> None:
        try:
            self._data = path.read_bytes()
        except OSError as error:
            raise LeanError(f"cannot read {path}: {error.strerror}") from None
        if self._data[:6] != b"olean\x02":
            raise LeanError(f"{path} is not a compiled module of the kind that Lean 4.35 writes")
        self._base = self._word(_BASE)
        self._known: dict[int, str] = {_ANONYMOUS: ""}

    def _word(self, offset: int) -> int:
        return int(struct.unpack_from("<Q", self._data, offset)[0])

    def _tag(self, offset: int) -> int:
        return self._data[offset + 7]

    def _string(self, address: int) -> str:
        offset = address - self._base
        if self._tag(offset) != _STRING:
            raise ValueError
        size = self._word(offset + 8)  # with the final zero
        return self._data[offset + 32 : offset + 32 + size - 1].decode()

    def _name(self, address: int) -> str:
        known = self._known.get(address)
        if known is not None:
            return known
        offset = address - self._base
        if not 0 <= offset < len(self._data) - 24 or self._tag(offset) not in (_NAME_STR, _NAME_NUM):
            raise ValueError
        prefix, part = self._name(self._word(offset + 8)), self._word(offset + 16)
        last = self._string(part) if self._tag(offset) == _NAME_STR else str(part >> 1)
        name = f"{prefix}.{last}" if prefix else last
        self._known[address] = name
        return name

    def constants(self) -> list[str]:
        """The names of the constants that the module defines."""
        module = self._word(_ROOT) - self._base
        array = self._word(module + 16) - self._base  # the second field: the array of names
        if self._tag(array) != _ARRAY:
            raise LeanError("the compiled module is not laid out as Lean 4.35 does it")
        return [self._name(self._word(array + 24 + 8 * i)) for i in range(self._word(array + 8))]

    def names(self) -> set[str]:
        """All names that occur in the module, those of the constants that it uses among them."""
        words = np.frombuffer(self._data, dtype="<u8", count=len(self._data) // 8)
        found = set()
        for index in np.flatnonzero(words == _NAME_STR_HEADER):
            try:
                found.add(self._name(self._base + 8 * int(index)))
            except (ValueError, IndexError, struct.error):
                continue  # data that looks like the header of a name
        return found
