"""The declarations of a Lean file, found by reading its text: names, kinds, docstrings and the text of definitions.

This is a reader of ordinary Lean files as the project writes them (commands start on lines of their own), not a Lean
parser. Lean itself confirms every name: the audit file of `statements` mentions each one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from attention_queries.lean.rules import CONFORMANCE, Problem
from attention_queries.lean.sources import LIBRARY, Module, Sources, comments, line_of

_KINDS = r"theorem|lemma|def|abbrev|structure|class[ \t]+inductive|class|inductive|instance"
_NAME = r"(?:«[^»\n]*»|[^\s:({\[⦃«»|,.])+(?:\.(?:«[^»\n]*»|[^\s:({\[⦃«»|,.])+)*"
_IN = r"(?:(?:open|set_option|omit|include|variable|attribute)\b[^\n]*?\bin\s+)*"
_ATTRIBUTES = r"(?:@\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)*"
_MODIFIERS = r"(?:(?:private|protected|noncomputable|partial|nonrec|local|scoped|public|unsafe)\s+)*"
_COMMAND = re.compile(
    rf"^[ \t]*{_IN}(?P<start>(?P<attributes>{_ATTRIBUTES})(?P<modifiers>{_MODIFIERS})"
    rf"(?:(?P<kind>{_KINDS})\b(?:[ \t]*\(priority[^)\n]*\))?(?:\s+(?P<name>{_NAME}))?"
    rf"|(?P<scope>namespace|section|mutual|end)\b(?:[ \t]+(?P<label>{_NAME}))?"
    r"|(?:variable|universe|open|export|set_option|attribute|example|deriving|macro|macro_rules|syntax|notation|prefix|"
    r"infix|infixl|infixr|postfix|elab|initialize|include|omit|run_cmd|seal|unseal|declare_syntax_cat|#\w+)\b))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Declaration:
    """One declaration: its full name ("" for an unnamed instance), kind, docstring and text without comments."""

    name: str
    kind: str
    public: bool
    documentation: str
    source: str
    module: str
    file: str
    line: int

    @property
    def is_theorem(self) -> bool:
        """Whether it states something that its proof settles."""
        return self.kind in ("theorem", "lemma")

    @property
    def summary(self) -> str:
        """The docstring's first sentence, on one line."""
        text = " ".join(self.documentation.split())
        end = re.search(r"[.:](?= [A-Z(`$]|$)", text)
        return text[: end.start() + 1] if end else text


class _Scopes:
    """The open namespaces, sections and mutual blocks."""

    def __init__(self) -> None:
        self.stack: list[tuple[bool, str]] = []

    def open(self, kind: str, label: str | None) -> None:
        for part in (label or "").split("."):
            self.stack.append((kind == "namespace", part))

    def close(self, label: str | None) -> None:
        del self.stack[len(self.stack) - min(len((label or "").split(".")), len(self.stack)) :]

    def full_name(self, name: str) -> str:
        if name.startswith("_root_."):
            return name.removeprefix("_root_.")
        return ".".join([part for is_namespace, part in self.stack if is_namespace] + [name])


def _documentation(text: str, ends: dict[int, int], start: int) -> str:
    """The doc comment that ends right before `start`; `ends` maps the end of each comment to its start."""
    end = len(text[:start].rstrip())
    begin = ends.get(end)
    if begin is None or not text.startswith("/--", begin):
        return ""
    return text[begin + 3 : end - 2].strip()


def declarations(module: Module) -> list[Declaration]:
    """All declarations of a module in the order of the file."""
    scopes = _Scopes()
    ends = {end: start for start, end in comments(module.text)}
    matches = list(_COMMAND.finditer(module.code))
    found = []
    ends_of_text = [following.start() for following in matches[1:]] + [len(module.code)]
    for match, end in zip(matches, ends_of_text, strict=False):
        if match["scope"] == "end":
            scopes.close(match["label"])
        elif match["scope"]:
            scopes.open(match["scope"], match["label"])
        if not match["kind"]:
            continue
        start = match.start("start")
        kind = " ".join(match["kind"].split())
        name = match["name"] or ""
        modifiers = match["modifiers"].split()
        found.append(
            Declaration(
                name=scopes.full_name(name) if name else "",
                kind=kind,
                public="private" not in modifiers and not (kind == "instance" and "local" in modifiers),
                documentation=_documentation(module.text, ends, start),
                source="\n".join(
                    line.rstrip() for line in module.code_with_strings[start:end].splitlines() if line.strip()
                ),
                module=module.name,
                file=module.shown,
                line=line_of(module.text, start),
            )
        )
    return found


def public_declarations(sources: Sources, *, conformance: bool = False) -> list[Declaration]:
    """The library's public declarations, with or without the generated conformance cases."""
    return [
        declaration
        for module in sources.library.values()
        if conformance or not module.name.startswith(CONFORMANCE)
        for declaration in declarations(module)
        if declaration.public
    ]


def documentation_problems(sources: Sources) -> Iterator[Problem]:
    """Public declarations without docstring, modules without module doc, and names outside the project's namespace."""
    for module in sources.library.values():
        if not any(module.text.startswith("/-!", start) for start, _ in comments(module.text)):
            yield Problem(module.shown, 0, "has no module documentation (/-! # Title … -/)")
    for declaration in public_declarations(sources):
        title = f"{declaration.kind} `{declaration.name}`" if declaration.name else declaration.kind
        if declaration.name and not declaration.name.startswith(f"{LIBRARY}."):
            yield Problem(declaration.file, declaration.line, f"{title} is outside the namespace {LIBRARY}")
        if not declaration.documentation:
            yield Problem(declaration.file, declaration.line, f"{title} has no docstring")
