"""What all certificates share: the document around the data, and the transcript they rest on."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from flint import fmpq

from attention_queries import __version__
from attention_queries.lean.certificate.text import NAMESPACE, Rows
from attention_queries.semantics import Base2
from attention_queries.sequences import QueryBatch
from attention_queries.transcript import Transcript, entry_lines, header_line

FORMAT_VERSION = 1

_HEADER = """\
/-
A certificate of attention-queries: {title}.

command      attnq certify --kind {command}
versions     attention-queries {version}, certificate format {format}
transcript   {queries} answers, SHA-256 {digest}

`attnq check FILE` compares this file with what its data require, lets Lean's kernel judge it, and says what it proves.
-/
import {module}

set_option maxRecDepth 100000
set_option maxHeartbeats 0

namespace {namespace}

"""

END = f"end {NAMESPACE}\n"
"""The last line."""

Answered = tuple[QueryBatch, Sequence[fmpq]]


@dataclass(frozen=True)
class Theorem:
    """A theorem of a certificate: Lean text of its binders, statement and proof, and the type as Lean prints it."""

    binders: str
    statement: str
    proof: str
    printed: str

    @classmethod
    def of(cls, binders: str, statement: str, proof: str, *, hypothesis: str = "") -> Theorem:
        """The theorem, when Lean prints the statement as written; `hypothesis` follows the binders as `(h : …)`."""
        printed = f"∀ {binders}, " if binders else ""
        printed += f"{hypothesis} → ({statement})" if hypothesis else statement
        if hypothesis:
            binders += f" (h : {hypothesis})"
        return cls(binders, statement, proof, normalised(printed))


def normalised(text: str) -> str:
    """The text with every run of white space made one space."""
    return " ".join(text.split())


class Certificate(ABC):
    """A certificate as data: its Lean text, the answers it rests on, and what it says in words."""

    kind: ClassVar[str]
    """What `--kind` asks for, and the name in the header."""
    module: ClassVar[str]
    """The module of the library with the checker and its soundness theorem."""

    dim: int

    @classmethod
    @abstractmethod
    def read(cls, rows: Rows, text: str) -> Certificate:
        """The certificate with the data of a file; raises `InputError`, `KeyError` or `ValueError` for other files."""

    @abstractmethod
    def title(self) -> str:
        """What the certificate is about, in a few words."""

    @abstractmethod
    def data(self) -> Iterator[str]:
        """The definitions of the Lean file."""

    @abstractmethod
    def check(self) -> str:
        """The Lean term that the kernel evaluates to `true`."""

    @abstractmethod
    def statements(self) -> dict[str, Theorem]:
        """The theorems by name."""

    @abstractmethod
    def answered(self) -> Iterator[Answered]:
        """The queries with the answers that the certificate rests on, in the order in which they are asked."""

    @abstractmethod
    def words(self) -> str:
        """What the theorems say, in words."""

    def command(self) -> str:
        """The options that ask for such a certificate, after `--kind`."""
        return self.kind

    def text(self, version: str = __version__) -> str:
        """The Lean file, as written by the given version of this package."""
        digest, queries = self.transcript_digest()
        header = _HEADER.format(
            title=self.title(),
            command=self.command(),
            version=version,
            format=FORMAT_VERSION,
            queries=queries,
            digest=digest,
            module=self.module,
            namespace=NAMESPACE,
        )
        accepted = f"\ntheorem accepted :\n    {self.check()} = true := by\n  decide +kernel\n"
        theorems = "".join(
            f"\ntheorem {f'{name} {theorem.binders}'.rstrip()} :\n    {theorem.statement} :=\n  {theorem.proof}\n"
            for name, theorem in self.statements().items()
        )
        return f"{header}{''.join(self.data())}{accepted}{theorems}\n{END}"

    def transcript_digest(self) -> tuple[str, int]:
        """SHA-256 of the transcript file that holds exactly these answers, and their number."""
        total, queries, semantics = hashlib.sha256(), 0, Base2()
        total.update(header_line(semantics, self.dim).encode())
        for batch, answers in self.answered():
            queries += len(batch)
            for line in entry_lines(semantics, batch, answers):
                total.update(line.encode())
        return total.hexdigest(), queries

    def transcript(self) -> Transcript[int, fmpq]:
        """The transcript that holds exactly these answers."""
        transcript: Transcript[int, fmpq] = Transcript(Base2(), self.dim)
        for batch, answers in self.answered():
            transcript.record(batch, answers)
        return transcript
