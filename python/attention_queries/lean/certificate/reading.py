"""Reading certificates back, strictly: a file is a certificate when its data would be written as this very file."""

from __future__ import annotations

import re
from pathlib import Path

from attention_queries.errors import AttentionQueriesError, InputError
from attention_queries.lean.certificate.document import FORMAT_VERSION, Certificate
from attention_queries.lean.certificate.head import HeadCertificate
from attention_queries.lean.certificate.low_rank import LowRankCertificate
from attention_queries.lean.certificate.multi_head import ModelCertificate
from attention_queries.lean.certificate.refutation import Contradiction, Impossible, NotZero
from attention_queries.lean.certificate.text import read_rows

CLASSES: tuple[type[Certificate], ...] = (
    HeadCertificate,
    LowRankCertificate,
    ModelCertificate,
    Impossible,
    NotZero,
    Contradiction,
)
MAX_FILE_BYTES = 1 << 28

_VERSION = re.compile(
    r"^versions +attention-queries ([0-9A-Za-z.+-]{1,40}), certificate format ([0-9]{1,9})$", re.MULTILINE
)
_IMPORT = re.compile(r"^import (\S+)$", re.MULTILINE)
_KIND = re.compile(r"^command +attnq certify --kind (\S+)(?: .*)?$", re.MULTILINE)


def read_certificate(path: str | Path) -> Certificate:
    """Read a certificate file; raises `InputError` unless it is, byte by byte, what its data require."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise InputError(f"larger than {MAX_FILE_BYTES} bytes")
        return parse_certificate(data.decode())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def parse_certificate(text: str) -> Certificate:
    """The certificate that a text is; raises `InputError` unless it is, byte by byte, what its data require."""
    version = _VERSION.search(text)
    if version is None or not text.startswith("/-\nA certificate of attention-queries: "):
        raise InputError("not a certificate: the header is missing or damaged")
    if int(version[2]) != FORMAT_VERSION:
        raise InputError(f"certificate format {version[2]}; this version reads format {FORMAT_VERSION}")
    kind, module = _KIND.search(text), _IMPORT.search(text)
    for chosen in CLASSES:
        if kind is None or module is None or chosen.kind != kind[1] or chosen.module != module[1]:
            continue
        try:
            certificate = chosen.read(read_rows(text), text)
            expected = certificate.text(version[1])
        except (KeyError, ValueError, IndexError, TypeError, OverflowError, ZeroDivisionError):
            continue
        except AttentionQueriesError as error:
            raise InputError(f"the data are not those of a certificate: {error}") from None
        if expected == text:
            return certificate
        raise InputError(_first_difference(text, expected))
    raise InputError("the data are not those of a certificate of the kind that the header names")


def _first_difference(text: str, expected: str) -> str:
    found, wanted = text.split("\n"), expected.split("\n")
    for number, (line, right) in enumerate(zip(found, wanted, strict=False), start=1):
        if line != right:
            return (
                f"line {number} is not what the data of the file require: {_short(line)!r} instead of {_short(right)!r}"
            )
    return f"the file has {len(found)} lines where its data require {len(wanted)}"


def _short(line: str) -> str:
    return line if len(line) <= 80 else f"{line[:77]}..."
