"""What the text of a library file may not contain, whatever Lean would say about it.

CONTRIBUTING quotes `FORBIDDEN`; comments and strings are not searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from attention_queries.errors import LeanError
from attention_queries.lean.sources import CORE, LIBRARY, Module, Sources, line_of

CONFORMANCE = f"{LIBRARY}.Conformance"

FORBIDDEN: dict[str, str] = {
    "sorry": "leaves a proof out",
    "sorryAx": "leaves a proof out",
    "admit": "leaves a proof out",
    "axiom": "assumes instead of proving",
    "native_decide": "trusts the compiler instead of the kernel",
    "+native": "trusts the compiler instead of the kernel",
    "ofReduceBool": "trusts the compiler instead of the kernel",
    "unsafe": "escapes the kernel",
    "opaque": "hides a definition",
    "implemented_by": "lets the compiler run something else than the definition",
    "extern": "lets the compiler run something else than the definition",
    "csimp": "lets the compiler run something else than the definition",
    "debug.skipKernelTC": "switches the kernel off",
    "set_option warningAsError": "hides warnings",
    "set_option linter": "hides warnings, those about unused hypotheses among them",
    "set_option autoImplicit": "lets a mistyped name become a hypothesis",
    "#eval": "runs compiled code (conformance files may)",
    "#exit": "ends the check before the end of the file",
    "import Lean": "the library uses Lean's core only",
    "prelude": "only minicore replaces the core library",
    "Minicore": "minicore's own helpers do not exist in the official core library",
}
"""Each forbidden word with the reason."""

OPTIONS = frozenset({"maxHeartbeats", "maxRecDepth", "synthInstance.maxHeartbeats", "synthInstance.maxSize"})
"""The options that library files may set: they limit Lean's work and change no meaning."""

_SET_OPTION = re.compile(r"(?<![\w'!?.])set_option\s+(\S+)")
_WORD_CHARACTER = r"[\w'!?.]"


def _pattern(word: str) -> re.Pattern[str]:
    body = r"\s+".join(re.escape(part) for part in word.split())
    start = rf"(?<!{_WORD_CHARACTER})" if word[0].isalpha() else ""
    end = r"(?![\w'!?])"
    return re.compile(start + body + end)


_PATTERNS = {word: _pattern(word) for word in FORBIDDEN}


@dataclass(frozen=True, order=True)
class Problem:
    """Something wrong at a line of a file (`line` 0: the file as a whole)."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        """`file:line: message`."""
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


def forbidden_words(module: Module) -> Iterator[Problem]:
    """The forbidden words in a module, outside comments and strings."""
    for word, pattern in _PATTERNS.items():
        if word == "#eval" and module.name.startswith(CONFORMANCE):
            continue
        for match in pattern.finditer(module.code):
            yield Problem(module.shown, line_of(module.code, match.start()), f"`{word}`: {FORBIDDEN[word]}")
    for match in _SET_OPTION.finditer(module.code):
        if match[1] not in OPTIONS:
            message = f"`set_option {match[1]}`: library files may only set {', '.join(sorted(OPTIONS))}"
            yield Problem(module.shown, line_of(module.code, match.start()), message)


def wrong_imports(sources: Sources) -> Iterator[Problem]:
    """Imports of anything but existing modules of the library, and modules that the root file does not import."""
    for module in sources.library.values():
        for name in module.imports:
            if name == CORE or name in sources.library:
                continue
            line = line_of(module.code, max(module.code.find(name), 0))
            if name.split(".")[0] == LIBRARY:
                yield Problem(module.shown, line, f"imports {name}, which does not exist")
            else:
                yield Problem(module.shown, line, f"imports {name}: the library imports its own modules only")
    root = sources.library.get(LIBRARY)
    if root is None:
        raise LeanError(f"{LIBRARY}.lean, the library's root file, is missing")
    for name, module in sources.library.items():
        if name != LIBRARY and name not in root.imports:
            yield Problem(root.shown, 0, f"does not import {name} ({module.shown})")
