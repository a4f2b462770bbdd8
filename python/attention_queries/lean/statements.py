"""The library's public statements: which axioms they use, and whether they still say what was pinned.

`lean/statements.txt` holds one entry a public declaration: for a theorem its statement as Lean prints it, for a
definition, structure, class or instance its source text, because the meaning of every statement rests on it. What else
it rests on is pinned by module: imports, variables, notations, attributes and private definitions. Two statements that
mean different things can be printed alike, so that a theorem's own text is pinned too, by a hash.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from attention_queries.errors import LeanError
from attention_queries.files import write_atomically
from attention_queries.lean.cache import digest
from attention_queries.lean.check import Library
from attention_queries.lean.declarations import Declaration, surroundings
from attention_queries.lean.rules import CONFORMANCE, Problem
from attention_queries.lean.sources import LIBRARY, Sources
from attention_queries.lean.toolchain import LIBRARY_OPTIONS, Lake, LeanOutput

ALLOWED_AXIOMS = ("propext", "Quot.sound", "Classical.choice")
PINNED = "statements.txt"
_PART = 200
"""Fewest declarations that are worth a process of their own."""
_SHOWN = 1200

_HEADER = """\
# Every public statement of the library. Generated: attnq verify --pin. Checked: attnq verify.
# Theorems as Lean prints them, with a hash of their source up to the proof; definitions, structures, classes and
# instances as their source says; and for each module what else their meaning rests on.
"""


@dataclass(frozen=True)
class Statement:
    """What Lean says of one declaration."""

    text: str
    axioms: tuple[str, ...]


def pinned_file(sources: Sources) -> Path:
    """The place of the pinned statements."""
    return sources.lean / PINNED


def _normal(text: str) -> str:
    return " ".join(text.split())


def title(declaration: Declaration) -> str:
    """The line that names a declaration in the file of pinned statements."""
    if declaration.name:
        return f"{declaration.kind} {declaration.name}"
    source = re.sub(r" \(priority[^)]*\)", "", _normal(declaration.source))
    header = re.split(r" where\b| :=", source)[0]
    return f"{header} ({declaration.module})"


class AuditFile:
    """The Lean file that makes Lean state every declaration and list its axioms."""

    def __init__(self, declarations: Iterable[Declaration]) -> None:
        self.named = [d for d in declarations if d.name]
        lines = [f"import {LIBRARY}", f"open {LIBRARY}", "set_option pp.numericTypes true"]
        self.commands: dict[int, tuple[Declaration, str]] = {}
        for declaration in self.named:
            for command in ("#check", "#print axioms"):
                lines.append(f"{command} _root_.{declaration.name}")
                self.commands[len(lines)] = (declaration, command)
        self.text = "\n".join([*lines, ""])

    def read(self, output: LeanOutput) -> dict[str, Statement]:
        """The statements by name from Lean's answer (`lean --json`)."""
        texts: dict[str, str] = {}
        axioms: dict[str, tuple[str, ...]] = {}
        for line in output.text.splitlines():
            try:
                message = json.loads(line)
                position, data = int(message["pos"]["line"]), str(message["data"])
            except (ValueError, KeyError, TypeError):
                raise LeanError(f"Lean did not answer the audit of the statements: {output.text[:2000]}") from None
            if position not in self.commands:
                raise LeanError(f"Lean rejects the audit of the statements: {data}")
            declaration, command = self.commands[position]
            if message["severity"] != "information":
                place = f"{declaration.file}:{declaration.line}"
                raise LeanError(f"{place}: Lean does not know {declaration.kind} {declaration.name}: {data}")
            if command == "#check":
                texts[declaration.name] = data
            else:
                listed = re.search(r"depends on axioms: \[(.*)\]", data, re.DOTALL)
                axioms[declaration.name] = tuple(re.split(r",\s*", listed.group(1).strip())) if listed else ()
        missing = [d.name for d in self.named if d.name not in texts or d.name not in axioms]
        if missing:
            raise LeanError(f"Lean said nothing about {missing[0]}: {output.text[-2000:]}")
        return {name: Statement(texts[name], axioms[name]) for name in texts}


def _run_audit(lean: Library | Lake, text: str) -> LeanOutput:
    with tempfile.TemporaryDirectory(prefix="attnq-") as folder:
        file = Path(folder) / "Audit.lean"
        file.write_text(text, encoding="utf-8")
        if isinstance(lean, Library):
            return lean.run(file, "--json")
        return lean.run([*LIBRARY_OPTIONS, "--json", str(file)])


def audit(lean: Library | Lake, declarations: Sequence[Declaration]) -> dict[str, Statement]:
    """Ask Lean about the declarations of the compiled library, in parts at once; the bundled way remembers answers."""
    parts = min(os.cpu_count() or 1, max(len(declarations) // _PART, 1))
    with ThreadPoolExecutor(parts) as pool:
        answers = pool.map(partial(_audit_part, lean), [declarations[n::parts] for n in range(parts)])
        return {name: statement for answer in answers for name, statement in answer.items()}


def _audit_part(lean: Library | Lake, declarations: Sequence[Declaration]) -> dict[str, Statement]:
    file = AuditFile(declarations)
    if not file.named:
        return {}
    if isinstance(lean, Lake):
        return file.read(_run_audit(lean, file.text))
    key = digest("audit", lean.key, file.text)
    entry = lean.cache.get(key)
    if entry is not None:
        return file.read(LeanOutput(True, entry.path.read_text(encoding="utf-8")))
    output = _run_audit(lean, file.text)
    statements = file.read(output)
    with lean.cache.new_folder() as folder:
        (folder / "answer").write_text(output.text, encoding="utf-8")
        lean.cache.put(key, folder / "answer", 0.0)
    return statements


def axiom_problems(declarations: Iterable[Declaration], statements: Mapping[str, Statement]) -> Iterator[Problem]:
    """Declarations that rest on anything but the three axioms of Lean's logic."""
    for declaration in declarations:
        if declaration.name:
            extra = [a for a in statements[declaration.name].axioms if a not in ALLOWED_AXIOMS]
            if extra:
                message = f"{title(declaration)} depends on {', '.join(extra)}"
                yield Problem(declaration.file, declaration.line, message)


def _texts(declarations: Iterable[Declaration], statements: Mapping[str, Statement]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for declaration in declarations:
        name, count = title(declaration), 1
        while name in texts:  # unnamed instances may look alike
            count += 1
            name = f"{title(declaration)} #{count}"
        if declaration.is_theorem:
            source = digest(_normal(declaration.statement))[:16]
            texts[name] = f"{statements[declaration.name].text}\n[source {source}]"
        else:
            texts[name] = declaration.source
    return texts


def _module_texts(sources: Sources) -> dict[str, str]:
    return {
        f"module {name}": surroundings(module)
        for name, module in sources.library.items()
        if name != LIBRARY and not name.startswith(CONFORMANCE)
    }


def read_pinned(file: Path) -> dict[str, str]:
    """The pinned texts by title; an absent file pins nothing."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise LeanError(f"cannot read {file}: {error}") from None
    pinned: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        if line.startswith("  "):
            current.append(line)
        elif line.strip() and not line.startswith("#"):
            current = pinned.setdefault(line.strip(), [])
    return {name: _normal(" ".join(texts)) for name, texts in pinned.items()}


def _entry(name: str, text: str) -> str:
    return f"{name}\n" + "".join(f"  {line}\n" for line in text.splitlines())


def pin(sources: Sources, declarations: Sequence[Declaration], statements: Mapping[str, Statement]) -> None:
    """Write the file of pinned statements, in the order of modules."""
    parts = [_HEADER]
    module = ""
    for declaration, (name, text) in zip(declarations, _texts(declarations, statements).items(), strict=True):
        if declaration.module != module:
            module = declaration.module
            parts.append(f"\n# {module}\n")
        parts.append(_entry(name, text))
    parts.append("\n# What the modules share\n")
    parts += [_entry(name, text) for name, text in _module_texts(sources).items()]
    write_atomically(pinned_file(sources), "".join(parts))


def _difference(pinned: str, now: str) -> str:
    """Both texts; of long ones the surroundings of the first difference."""
    if max(len(pinned), len(now)) > _SHOWN:
        pairs = enumerate(zip(pinned, now, strict=False))
        start = max(0, next((i for i, (x, y) in pairs if x != y), len(now)) - _SHOWN // 4)
        pinned, now = (f"… {text[start : start + _SHOWN]} …" for text in (pinned, now))
    return f"  pinned: {pinned}\n  now:    {now}\n"


def pin_problems(
    sources: Sources, declarations: Sequence[Declaration], statements: Mapping[str, Statement]
) -> Iterator[Problem]:
    """Statements that changed, public declarations that are not pinned, and pinned ones that do not exist."""
    file = pinned_file(sources)
    pinned = read_pinned(file)
    remedy = "if that is intended, run attnq verify --pin and review the difference"
    texts = _texts(declarations, statements)
    modules = _module_texts(sources)
    places = [(d.file, d.line) for d in declarations]
    places += [(sources.library[name.removeprefix("module ")].shown, 0) for name in modules]
    texts |= modules
    for (place, line), (name, text) in zip(places, texts.items(), strict=True):
        if name not in pinned:
            message = f"{name} is not pinned in {sources.shown(file)}; {remedy}"
        elif pinned[name] != _normal(text):
            message = f"{name} changed.\n{_difference(pinned[name], _normal(text))}  {remedy}"
        else:
            continue
        yield Problem(place, line, message)
    for name in pinned:
        if name not in texts:
            yield Problem(sources.shown(file), 0, f"{name} is pinned but does not exist; {remedy}")
