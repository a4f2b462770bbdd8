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
    rf"^[ \t]*(?P<before>{_IN})(?P<start>(?P<attributes>{_ATTRIBUTES})(?P<modifiers>{_MODIFIERS})"
    rf"(?:(?P<kind>{_KINDS})\b(?:[ \t]*\(priority[^)\n]*\))?(?:\s+(?P<name>{_NAME}))?"
    rf"|(?P<scope>namespace|section|mutual|end)\b(?:[ \t]+(?P<label>{_NAME}))?"
    r"|(?:variable|universe|open|export|set_option|attribute|example|deriving|macro|macro_rules|syntax|notation|prefix|"
    r"infix|infixl|infixr|postfix|elab|initialize|include|omit|run_cmd|seal|unseal|declare_syntax_cat|#\w+)\b))",
    re.MULTILINE,
)
_IN_KEYWORDS = frozenset({"open", "set_option", "omit", "include", "variable", "attribute"})
_KEYWORD = re.compile(
    r"(?<![\w'!?.@])(?:theorem|lemma|def|abbrev|structure|class|inductive|coinductive|instance|example|opaque|alias|"
    r"namespace|section|mutual|end|variable|universe|open|export|attribute|deriving|include|omit|seal|unseal|"
    r"macro|macro_rules|syntax|declare_syntax_cat|notation|notation3|prefix|infixl?|infixr|postfix|elab|elab_rules|"
    r"binder_predicate|unif_hint|simproc|dsimproc|grind_pattern|initialize|builtin_initialize|add_decl_doc|init_quot|"
    r"run_cmd|run_elab|run_meta|suppress_compilation|private|protected|noncomputable|nonrec|local|scoped|public|meta)"
    r"(?![\w'!?])"
)
_PROOF = re.compile(r":=|(?<![\w.])(?:let|have)(?![\w'])|^[ \t]*\|(?!\|)|\bwhere\b|[(\[{⟨⦃⟪]|[)\]}⟩⦄⟫]", re.MULTILINE)
_IMPORTS = re.compile(r"^[ \t]*(?:public[ \t]+|meta[ \t]+)*import\b[^\n]*", re.MULTILINE)


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
    def statement(self) -> str:
        """A theorem's text up to its proof."""
        depth = local = 0
        for mark in _PROOF.finditer(self.source):
            symbol = mark.group()
            if symbol in "([{⟨⦃⟪":
                depth += 1
            elif symbol in ")]}⟩⦄⟫":
                depth -= 1
            elif symbol in ("let", "have"):
                local += depth == 0
            elif depth == 0 and symbol == ":=" and local:
                local -= 1
            elif depth == 0:
                return self.source[: mark.start()]
        return self.source

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


def surroundings(module: Module) -> str:
    """All that the meaning of a module's public declarations rests on besides their own text.

    That is its imports, scopes, variables, notations, attributes and private definitions; no comments and no proofs.
    """
    found = [match.group().strip() for match in _IMPORTS.finditer(module.code)]
    matches = list(_COMMAND.finditer(module.code))
    ends = [following.start() for following in matches[1:]] + [len(module.code)]
    for match, end in zip(matches, ends, strict=True):
        kind, modifiers = match["kind"], match["modifiers"] or ""
        before = match["before"]
        if kind in ("theorem", "lemma"):
            text = before + match["attributes"]
        elif kind and "private" not in modifiers and not (kind == "instance" and "local" in modifiers):
            text = before
        else:
            text = module.code_with_strings[match.start() : end]
        found += [line.rstrip() for line in text.splitlines() if line.strip()]
    return "\n".join(found)


def hidden_commands(module: Module) -> Iterator[Problem]:
    """Commands that do not begin a line, where the reader of declarations does not look for them."""
    known: list[range] = []
    for match in _COMMAND.finditer(module.code):
        known += [
            range(match.start("before") + x.start(), match.start("before") + x.end())
            for x in _KEYWORD.finditer(match["before"])
            if x.group() in _IN_KEYWORDS
        ]
        # The names of declarations and scopes are not known: a keyword there begins a command.
        named = next((group for group in ("label", "name") if match[group]), None)
        known.append(range(match.start("start"), match.start(named) if named else match.end()))
    position = 0
    for found in _KEYWORD.finditer(module.code):
        while position < len(known) and known[position].stop <= found.start():
            position += 1
        if position == len(known) or found.start() not in known[position]:
            message = f"`{found.group()}` in the middle of a command: let commands begin a line of their own"
            yield Problem(module.shown, line_of(module.code, found.start()), message)


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
