"""Judging a certificate: its text against its data, its theorems by Lean's kernel."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attention_queries.errors import LeanError
from attention_queries.lean.cache import Cache
from attention_queries.lean.certificate.document import END, Certificate, Theorem, normalised
from attention_queries.lean.certificate.reading import read_certificate
from attention_queries.lean.certificate.text import NAMESPACE
from attention_queries.lean.check import Library
from attention_queries.lean.sources import find_sources
from attention_queries.lean.statements import ALLOWED_AXIOMS
from attention_queries.lean.toolchain import STRICT, Lake, LeanOutput, choose

_AXIOMS = re.compile(
    r"'(?P<name>[^']*(?:'[^' ]*)*)' (?:depends on axioms: \[(?P<axioms>[^\]]*)\]|does not depend on any axioms)"
)


@dataclass(frozen=True)
class Verdict:
    """An accepted certificate, the axioms of its theorems, and how Lean was run."""

    certificate: Certificate
    axioms: tuple[str, ...]
    way: str
    explanation: str


def check_certificate(path: str | Path, *, toolchain: str = "auto", root: Path | None = None) -> Verdict:
    """Check a certificate file.

    Raises `InputError` when the text is not, byte by byte, what its data require, and `LeanError` when Lean rejects it
    or prints other statements or axioms than those expected.
    """
    return judge(read_certificate(path), toolchain=toolchain, root=root)


class Judge:
    """Lean, ready to judge certificates; with `lake`, the library is built once."""

    def __init__(self, toolchain: str = "auto", root: Path | None = None) -> None:
        """Raises `LeanMissing` when there is no Lean, `LeanError` when the library does not build."""
        chosen = choose(toolchain, find_sources(root))
        self.way, self.explanation = chosen.name, chosen.explanation
        self._lean: Library | Lake = chosen if isinstance(chosen, Lake) else Library(chosen, Cache())
        if isinstance(chosen, Lake):
            built = chosen.build()
            if not built.ok:
                raise LeanError(built.text)

    def judge(self, certificate: Certificate) -> Verdict:
        """Let Lean check a certificate; raises `LeanError` when it does not accept it."""
        if isinstance(self._lean, Library):
            self._lean.compile_or_fail(only={certificate.module})
        theorems = certificate.statements()
        questions = "".join(f"#check @{name}\n#print axioms {name}\n" for name in theorems)
        answers = _answers(_run(certificate.text().removesuffix(END) + questions + END, self._lean))
        axioms = _checked_axioms(theorems, answers)
        return Verdict(certificate, axioms, self.way, self.explanation)


def judge(certificate: Certificate, *, toolchain: str = "auto", root: Path | None = None) -> Verdict:
    """Let Lean check one certificate; raises `LeanError` when it does not accept it."""
    return Judge(toolchain, root).judge(certificate)


def _checked_axioms(theorems: Mapping[str, Theorem], answers: Sequence[str]) -> tuple[str, ...]:
    """The axioms of the theorems, once what Lean says of them is as expected; raises `LeanError`."""
    axioms: set[str] = set()
    for name, theorem in theorems.items():
        if f"{name} : {theorem.printed}" not in answers and f"@{name} : {theorem.printed}" not in answers:
            raise LeanError(f"Lean does not state the theorem {name} as expected:\n" + "\n".join(answers))
        axioms.update(_axioms_of(f"{NAMESPACE}.{name}", answers))
    extra = sorted(axioms.difference(ALLOWED_AXIOMS))
    if extra:
        raise LeanError(f"the certificate depends on {', '.join(extra)}")
    return tuple(a for a in ALLOWED_AXIOMS if a in axioms)


def _run(text: str, lean: Library | Lake) -> LeanOutput:
    with tempfile.TemporaryDirectory(prefix="attnq-") as folder:
        file = Path(folder) / "Certificate.lean"
        file.write_text(text, encoding="utf-8")
        return lean.run(file, "--json") if isinstance(lean, Library) else lean.run([STRICT, "--json", str(file)])


def _answers(output: LeanOutput) -> list[str]:
    """What Lean said, white space normalised; raises `LeanError` with its words when it rejects the file."""
    messages: list[str] = []
    problems: list[str] = []
    for line in output.text.splitlines():
        try:
            message = json.loads(line)
            text, severity = str(message["data"]), message["severity"]
        except (ValueError, KeyError, TypeError):
            text, severity = line, "error"
        (messages if severity == "information" else problems).append(text)
    if problems or not output.ok:
        words = next((p for p in problems if "decide" in p), problems[0] if problems else output.text)
        if "did not reduce to `true`" in words or "false" in words[:400]:
            raise LeanError("Lean's kernel evaluates the check to false: the answers are not those of the model")
        raise LeanError(f"Lean rejects the certificate: {words[:2000]}")
    return [normalised(text) for text in messages]


def _axioms_of(name: str, answers: Sequence[str]) -> list[str]:
    for answer in answers:
        match = _AXIOMS.fullmatch(answer)
        if match is not None and match["name"] == name:
            return [a.strip() for a in (match["axioms"] or "").split(",") if a.strip()]
    raise LeanError(f"Lean does not say on what axioms {name} depends")
