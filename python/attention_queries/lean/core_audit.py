"""`attnq audit-core`: does minicore say of Lean's core library what the official one says?

Every core constant that the compiled library uses is compared with a table of facts about the official core library
(name, kind, attributes, signature with binders, constructors or fields, as its documentation prints them).
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import mmap
import re
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console

from attention_queries.errors import InputError, LeanError
from attention_queries.files import write_atomically
from attention_queries.lean.check import Library
from attention_queries.lean.olean import Olean
from attention_queries.lean.sources import Sources, find_sources
from attention_queries.lean.toolchain import bundled

FACTS = "official-signatures.tsv"
COLUMNS = ("name", "kind", "attributes", "signature", "constructors_or_fields")

Verdict = Literal["same", "generated", "explained", "different", "absent"]

EXPLAINED: dict[str, str] = {
    "Decidable.decide": "a class with the field `decide` since 4.28: the 4.35 library compiles isTrue and isFalse as "
    "functions",
    "Decidable.intro": "the constructor of that class",
    "Eq.ndrec": "known to the elaborator by name; the documentation leaves auxiliary recursors out",
    "HEq.homo_ndrec": "known to the elaborator by name; newer than the facts",
    "Int.negSucc_eq": "prints with the notation -[n+1], which the documentation does not use",
    "Int.toNat_negSucc": "prints with the notation -[n+1], which the documentation does not use",
    "Lean.injEq_helper": "known to the elaborator by name; used in generated injEq theorems only",
    "Lean.mkNullNode": "the default value prints without the notation #[]",
    "String.bytes": "called toByteArray in 4.35",
    "String.isValidUTF8": "mentions String.bytes, called toByteArray in 4.35",
}
"""Differences that are known and harmless, with the reason."""

_GENERATED = re.compile(
    r"(?:^|\.)(?:rec|recOn|casesOn|below|brecOn|noConfusion|noConfusionType|ctorIdx|toCtorIdx|ctorElim|ctorElimType|"
    r"elim|inj|injEq|sizeOf_spec|congr_simp|induct|induct_unfolding|eq_def|eq_\d+|hcongr_\d+|match_\d+|_\w+)"
    r"(?:[._]\w+)*$"
)
"""Names that Lean adds to a declaration: recursors, equations, matchers and the like."""

_ORDINARY = re.compile(r"(?!.*\b_(?:aux|regBuiltin))[^\W\d][\w'!?]*(?:\.[\w'!?]+)*")


@dataclass(frozen=True)
class Fact:
    """What the official documentation says of one declaration."""

    name: str
    kind: str
    attributes: str
    signature: str
    constructors_or_fields: str

    @property
    def parts(self) -> dict[str, str]:
        """The constructors or fields: the text after each name."""
        found = {}
        for item in self.constructors_or_fields.split(" ; "):
            match = re.match(r"\s*([^\s:({\[⦃]+)(.*)", item)
            if match:
                found[match[1]] = match[2]
        return found


@dataclass(frozen=True)
class Finding:
    """The verdict on one core constant."""

    name: str
    verdict: Verdict
    detail: str = ""


def _rows(file: Path) -> list[dict[str, str]]:
    try:
        data = file.read_bytes()
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the table of facts {file}: {error}") from None
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
    if not rows or not set(COLUMNS) <= set(rows[0]):
        raise InputError(f"{file} is not a table of facts: it needs the columns {', '.join(COLUMNS)}")
    return rows


def read_facts(file: Path) -> dict[str, Fact]:
    """The table of facts by name."""
    return {row["name"]: Fact(*(row[column] or "" for column in COLUMNS)) for row in _rows(file)}


def facts_file(sources: Sources) -> Path:
    """The place of the table of facts."""
    return sources.minicore / FACTS


def write_facts(library: Library, full_table: Path) -> int:
    """Copy the rows about minicore's constants from the full table; their number."""
    full = read_facts(full_table)
    rows = [full[name] for name in sorted(core_constants(library)) if name in full]
    lines = ["\t".join(COLUMNS)] + ["\t".join(getattr(row, column) for column in COLUMNS) for row in rows]
    write_atomically(facts_file(library.sources), "\n".join([*lines, ""]))
    return len(rows)


def _oleans(library: Library, modules: Iterable[str]) -> list[Olean]:
    return [Olean(library.lean_path / f"{module.replace('.', '/')}.olean") for module in modules]


def core_constants(library: Library) -> set[str]:
    """The constants that minicore defines, without its own helpers and private ones."""
    names = {name for olean in _oleans(library, library.sources.core) for name in olean.constants()}
    return {n for n in names if not n.startswith(("Minicore.", "_private.")) and _ORDINARY.fullmatch(n)}


def used_constants(library: Library) -> set[str]:
    """The core constants whose names occur in the compiled library: all that it uses, perhaps a few more."""
    found: set[str] = set()
    for olean in _oleans(library, library.sources.library):
        found |= olean.names()
    return found & core_constants(library)


@dataclass(frozen=True)
class Answer:
    """What Lean says of one of minicore's constants."""

    signature: str
    header: str


def _namespace(name: str) -> str:
    return name.rpartition(".")[0]


def ask(library: Library, names: Collection[str]) -> dict[str, Answer]:
    """Signatures, printed as the official documentation does: inside the namespace of each constant."""
    lines = ["set_option pp.funBinderTypes true"]
    commands: dict[int, tuple[str, bool]] = {}
    for name in names:
        namespace = _namespace(name)
        lines += [f"namespace {namespace}"] if namespace else []
        for command in ("#check", "#print"):
            lines.append(f"{command} _root_.{name}")
            commands[len(lines)] = (name, command == "#check")
        lines += [f"end {namespace}"] if namespace else []
    with tempfile.TemporaryDirectory(prefix="attnq-") as folder:
        file = Path(folder) / "CoreAudit.lean"
        file.write_text("\n".join([*lines, ""]), encoding="utf-8")
        output = library.run(file, "--json")
    signatures: dict[str, str] = {}
    headers: dict[str, str] = {}
    for line in output.text.splitlines():
        try:
            message = json.loads(line)
            name, is_check = commands[message["pos"]["line"]]
        except (ValueError, KeyError, TypeError):
            raise LeanError(f"Lean did not answer the audit of minicore: {output.text[:2000]}") from None
        if message["severity"] == "error":
            raise LeanError(f"Lean does not know minicore's {name}: {message['data']}")
        (signatures if is_check else headers)[name] = message["data"]
    return {name: Answer(signatures[name], headers.get(name, "")) for name in signatures}


def normal(signature: str) -> str:
    """A signature without what may differ in print only: spaces, names of universes, inaccessibility marks."""
    text = re.sub(r"^(\S+?)\.\{[^}]*\}", r"\1", signature).replace("✝", "")
    text = re.sub(r"\bextends\b.*?(?=\s:)", "", text, flags=re.DOTALL)
    levels: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        def level(name: re.Match[str]) -> str:
            known = name.group() in ("max", "imax")
            return name.group() if known else levels.setdefault(name.group(), f"l{len(levels) + 1}")

        return f"{match[1]} " + re.sub(r"[a-z][\w']*", level, match[2])

    text = re.sub(r"\b(Type|Sort)\s+(\([^()]*\)|[a-z][\w']*)", rename, text)
    return re.sub(r"\s", "", text)


def _positional(signature: str) -> str:
    """A signature whose binders are numbered: for official ones with names that cannot be written."""
    names: dict[str, str] = {}
    for group in re.findall(r"[({\[⦃]([^\s:(){}\[\]]+(?: [^\s:(){}\[\]]+)*) :", signature):
        for name in group.split(" "):
            names.setdefault(name, f"_{len(names) + 1}")
    return re.sub(r"[^\s:(){}\[\],⦃⦄.]+", lambda match: names.get(match.group(), match.group()), signature)


def _same_signature(ours: str, official: str) -> bool:
    if "✝" in official:
        ours, official = _positional(ours), _positional(official)
    return normal(ours) == normal(official)


def _without_levels(signature: str) -> str:
    text = re.sub(r"(Type|Sort)(?:l\d+|\([^()]*\))", r"\1", normal(signature))
    return text.replace("Lean.", "")  # parts are printed outside the namespace


def _same_part(name: str, official: str, answer: Answer) -> bool:
    """Whether a constructor or field agrees: the official text omits the parameters of a structure."""
    signature = re.sub(r"^\S+?(?:\.\{[^}]*\})?(?=\s)", "", answer.signature)
    ours, theirs = _without_levels(f"x {signature}")[1:], _without_levels(f"x {official}")[1:]
    return ours == theirs or ours.endswith(theirs)


def _attribute_difference(fact: Fact, answer: Answer) -> str:
    header = answer.header.split("\n")[0]
    ours = set(re.findall(r"\w+", header[2 : header.index("]")])) if header.startswith("@[") else set()
    if re.match(r"(?:@\[[^\]]*\] )?(?:protected )?theorem\b", header):
        return ""  # a proof: how it unfolds does not matter
    if fact.kind == "theorem":
        return "officially a theorem"
    theirs = set(re.findall(r"\w+", fact.attributes)) | ({"reducible"} if "abbrev" in fact.kind else set())
    # how an instance unfolds is Lean's choice, and the documentation does not show it
    relevant = {"irreducible"} if "instance" in fact.kind else {"reducible", "irreducible"}
    if ours & relevant != theirs & relevant:
        return f"attributes {sorted(ours & relevant)}, officially {sorted(theirs & relevant)}"
    return ""


def _compare(name: str, facts: Mapping[str, Fact], answer: Answer) -> Finding:
    fact = facts.get(name)
    if fact is not None:
        if not _same_signature(answer.signature, fact.signature):
            ours = " ".join(answer.signature.split())
            return Finding(name, "different", f"ours:     {ours}\nofficial: {fact.signature}")
        difference = _attribute_difference(fact, answer)
        return Finding(name, "different" if difference else "same", difference)
    parent, _, last = name.rpartition(".")
    if parent in facts and last in facts[parent].parts:
        official = facts[parent].parts[last]
        if _same_part(name, official, answer):
            return Finding(name, "same")
        ours = " ".join(answer.signature.split())
        return Finding(name, "different", f"ours:     {ours}\nofficial: {last}{official}")
    if parent in facts:
        extended = re.search(r"\bextends\b(.*)", facts[parent].signature)
        parents = re.findall(r"\w+", extended[1]) if extended else []
        if answer.header.startswith(f"constructor {name}") or last.removeprefix("to") in parents:
            return Finding(name, "generated")
    if _GENERATED.search(name):
        return Finding(name, "generated")
    return Finding(name, "absent")


def _mentioned(file: Path, names: Collection[str]) -> set[str]:
    """The names that occur as texts of their own in a compiled library: those that it knows."""
    if not names:
        return set()
    with file.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return {name for name in names if content.find(b"\0" + name.encode() + b"\0") >= 0}


def audit_core(library: Library, *, everything: bool = False) -> list[Finding]:
    """The verdict on every core constant that the compiled library uses, or on `everything` in minicore."""
    facts = read_facts(facts_file(library.sources))
    ours = core_constants(library)
    names = set(ours) if everything else used_constants(library)
    for fact in [facts[name] for name in names if name in facts]:
        parts = {f"{fact.name}.{part}" for part in fact.parts}
        # an inherited field is no constant of its own
        names |= parts & ours if re.search(r"\bextends\b", fact.signature) else parts
    answers = ask(library, sorted(names & ours))
    findings = [_compare(name, facts, answers[name]) for name in sorted(answers)]
    findings += [Finding(n, "different", "minicore lacks this constructor or field") for n in sorted(names - ours)]
    newer = _mentioned(library.lean.library, {f.name for f in findings if f.verdict == "absent"})
    final = []
    for finding in findings:
        if finding.verdict in ("different", "absent") and finding.name in EXPLAINED:
            final.append(Finding(finding.name, "explained", EXPLAINED[finding.name]))
        elif finding.verdict == "absent" and finding.name in newer:
            final.append(Finding(finding.name, "explained", "newer than the facts; the Lean library refers to it"))
        else:
            final.append(finding)
    return final


def audit_core_command(
    *,
    facts: Path | None = None,
    everything: bool = False,
    root: Path | None = None,
    console: Console | None = None,
) -> None:
    """Print the audit of minicore; `facts`, the path of a full table, renews the small one first.

    Raises `LeanError` if a constant that the library uses differs from the official one without explanation.
    """
    console = console or Console()
    library = Library(bundled(find_sources(root)))
    library.compile_or_fail()
    if facts is not None:
        count = write_facts(library, facts)
        console.print(f"wrote {count} rows to {library.sources.shown(facts_file(library.sources))}", highlight=False)
    findings = audit_core(library, everything=everything)
    for verdict, title in (
        ("explained", "differs from the facts, harmless"),
        ("different", "DIFFERS from the official core library"),
        ("absent", "NOT in the facts about the official core library"),
    ):
        for finding in findings:
            if finding.verdict == verdict:
                detail = f"\n{finding.detail}".replace("\n", "\n    ") if finding.detail else ""
                console.print(f"{finding.name}: {title}{detail}", markup=False, highlight=False, soft_wrap=True)
    counts = {v: sum(f.verdict == v for f in findings) for v in ("same", "generated", "explained")}
    wrong = sum(f.verdict in ("different", "absent") for f in findings)
    console.print(
        f"{len(findings)} core constants {'in minicore' if everything else 'used by the library'}: "
        f"{counts['same']} as in the official core library, {counts['generated']} generated from those, "
        f"{counts['explained']} explained, {wrong} unexplained",
        highlight=False,
    )
    if wrong:
        raise LeanError(f"minicore differs from the official core library in {wrong} places, listed above")
