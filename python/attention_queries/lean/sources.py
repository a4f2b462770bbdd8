"""The Lean files of the project: where they are, what they import, and their text without comments and strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attention_queries.errors import InputError, LeanError

LIBRARY = "AttentionQueries"
CORE = "Init"

_IMPORT = re.compile(r"^[ \t]*(?:public[ \t]+)?(?:meta[ \t]+)?import[ \t]+(?:all[ \t]+)?(\S+)", re.MULTILINE)
_PRELUDE = re.compile(r"^[ \t]*prelude\b", re.MULTILINE)
_CHARACTER = re.compile(r"'(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)|[^\\'\n])'")
_NOT_NEWLINE = re.compile(r"[^\n]")
_RAW_STRING = re.compile(r'r(#*)"(?:.|\n)*?"\1')
_STRING = re.compile(r'"(?:\\(?:.|\n)|[^"\\])*"')


def _spaces(text: str) -> str:
    return _NOT_NEWLINE.sub(" ", text)


def _comment_end(text: str, start: int) -> int:
    """The end of the (nested) block comment that starts at `start`."""
    depth = 0
    for mark in re.compile(r"/-|-/").finditer(text, start):
        depth += 1 if mark.group() == "/-" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def _skipped(text: str) -> Iterator[tuple[bool, int, int]]:
    """The comments (True) and the strings and characters (False) of a Lean text, as (kind, start, end)."""
    position = 0
    for mark in re.compile(r"--|/-|\"|'|r#*\"").finditer(text):
        start = mark.start()
        if start < position:
            continue
        symbol = mark.group()
        inside_name = start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_'!?")
        if symbol == "--":
            position = text.find("\n", start)
            position = len(text) if position < 0 else position
            yield True, start, position
        elif symbol == "/-":
            position = _comment_end(text, start)
            yield True, start, position
        elif symbol == '"' or not inside_name:
            pattern = {"'": _CHARACTER, '"': _STRING}.get(symbol, _RAW_STRING)
            found = pattern.match(text, start)
            if found is not None:
                position = found.end()
                yield False, start, position


def blank(text: str, *, keep_strings: bool = False) -> str:
    """`text` with comments, and strings and characters unless `keep_strings`, replaced by as many spaces."""
    pieces: list[str] = []
    copied = 0
    for is_comment, start, end in _skipped(text):
        if is_comment or not keep_strings:
            pieces += [text[copied:start], _spaces(text[start:end])]
            copied = end
    return "".join([*pieces, text[copied:]])


def comments(text: str) -> list[tuple[int, int]]:
    """The comments of a Lean text, as (start, end)."""
    return [(start, end) for is_comment, start, end in _skipped(text) if is_comment]


def line_of(text: str, position: int) -> int:
    """The 1-based line of a position in `text`."""
    return text.count("\n", 0, position) + 1


@dataclass(frozen=True)
class Module:
    """One Lean file: its module name, its place, and `shown`, the path that messages use."""

    name: str
    path: Path
    shown: str

    @cached_property
    def text(self) -> str:
        """The file's text."""
        try:
            return self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise LeanError(f"cannot read {self.shown}: {error}") from None

    def is_unchanged(self) -> bool:
        """Whether the file still is what was read."""
        try:
            return self.path.read_text(encoding="utf-8") == self.text
        except (OSError, UnicodeDecodeError):
            return False

    @cached_property
    def code(self) -> str:
        """The file's text with comments and strings blanked out (same length, same lines)."""
        return blank(self.text)

    @cached_property
    def code_with_strings(self) -> str:
        """The file's text with comments blanked out."""
        return blank(self.text, keep_strings=True)

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """The imported modules, with the implicit `Init` of a file without `prelude`."""
        ends = [m.end() for pattern in (_IMPORT, _PRELUDE) for m in pattern.finditer(self.text)]
        head = blank(self.text[: max(ends, default=0)])  # Comments after the last import do not matter.
        named = tuple(m.group(1) for m in _IMPORT.finditer(head))
        return named if _PRELUDE.search(head) else (CORE, *named)


@dataclass(frozen=True)
class Sources:
    """The folder `lean` with the library and minicore; `checkout` is the repository around it, if there is one."""

    lean: Path
    checkout: Path | None

    @property
    def working_folder(self) -> Path:
        """The folder that the paths in messages are relative to."""
        return self.lean.parent

    @property
    def minicore(self) -> Path:
        """The folder with the stand-in for Lean's core library."""
        return self.lean / "minicore"

    def shown(self, path: Path) -> str:
        """A path as messages print it."""
        return path.relative_to(self.working_folder).as_posix()

    def _modules(self, root: Path, name: str) -> dict[str, Module]:
        files = [root / f"{name}.lean", *sorted((root / name).rglob("*.lean"))]
        found = {}
        for path in files:
            if path.is_file():
                module = ".".join(path.relative_to(root).with_suffix("").parts)
                found[module] = Module(module, path, self.shown(path))
        return found

    @cached_property
    def library(self) -> dict[str, Module]:
        """The library's modules by name, the root first."""
        return self._modules(self.lean, LIBRARY)

    @cached_property
    def core(self) -> dict[str, Module]:
        """Minicore's modules by name."""
        return self._modules(self.minicore, CORE)


def find_sources(root: Path | None = None) -> Sources:
    """The Lean sources: below `root` if given, else in the checkout of an editable install, else the packaged copy."""
    if root is not None:
        if not (root / "lean" / f"{LIBRARY}.lean").is_file():
            raise InputError(f"no Lean library at {root}: expected {root / 'lean' / LIBRARY}.lean")
        return Sources(root.resolve() / "lean", root.resolve())
    package = Path(__file__).resolve().parents[1]
    checkout = package.parents[1]
    if (checkout / "lean" / f"{LIBRARY}.lean").is_file() and (checkout / "lakefile.lean").is_file():
        return Sources(checkout / "lean", checkout)
    if (package / "_lean" / f"{LIBRARY}.lean").is_file():
        return Sources(package / "_lean", None)
    raise LeanError(f"the Lean files are missing from this installation of attention-queries ({package})")
