"""Target files, strict JSON, and writing that never leaves half a file behind.

A target file is `{"model": "heads", "semantics": "base2" | "exp" | "float", "heads": [{"W": [[…]], "v": […]}]}` with
integers or strings `"p/q"` as numbers (floating-point numbers are for the float semantics only), or a transformer as in
`attention_queries.transformer.target`.
"""

from __future__ import annotations

import errno
import json
import math
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from attention_queries import semantics as semantics_module
from attention_queries.errors import InputError, LearningError, shown
from attention_queries.jsonobjects import check_keys
from attention_queries.models import AttentionModel, Head
from attention_queries.transformer.model import Transformer
from attention_queries.transformer.target import transformer_from_json, transformer_text, transformer_to_json

Target = AttentionModel[Any, Any] | Transformer[Any, Any]

MAX_FILE_BYTES = 1 << 28
"""Target files beyond this size are refused instead of read into memory."""


def load_target(path: str | Path) -> Target:
    """Read a target file (`-` is standard input); raises `InputError` with one line that says what is wrong."""
    try:
        text = _read(path)
        if text.startswith('{"format": '):
            raise InputError("a transcript, not a target file; docs/transcripts.md says how to replay one")
        return target_from_json(parse_json(text))
    except InputError as error:
        raise InputError(f"{_name(path)}: {error}") from None


def load_heads(path: str | Path) -> AttentionModel[Any, Any]:
    """As `load_target`, for what makes sense for sums of heads only; raises `InputError` for a transformer."""
    model = load_target(path)
    if isinstance(model, Transformer):
        raise InputError(f"{_name(path)}: a model of attention heads is needed, not a transformer")
    return model


def save_target(model: Target, path: str | Path) -> None:
    """Write a model as a target file, atomically; raises `InputError` when the file cannot be written."""
    write_atomically(path, target_text(model))


def target_text(model: Target) -> str:
    """The text of a target file: JSON with one row of numbers a line."""
    if isinstance(model, Transformer):
        return transformer_text(model)
    heads = []
    for head in target_to_json(model)["heads"]:
        rows = ",\n      ".join(json.dumps(row) for row in head["W"])
        heads.append(f'    {{"W": [\n      {rows}],\n     "v": {json.dumps(head["v"])}}}')
    body = ",\n".join(heads)
    return f'{{"model": "heads", "semantics": "{model.semantics.name}", "heads": [\n{body}\n]}}\n'


def target_to_json(model: Target) -> dict[str, Any]:
    """A model as the JSON object of a target file; a model without heads becomes one head with `W = 0` and `v = 0`."""
    if isinstance(model, Transformer):
        return transformer_to_json(model)
    scalar, value = model.semantics.format_scalar, model.semantics.format_value
    d = model.dim
    written = model.heads or AttentionModel(model.semantics, d, [Head([[0] * d] * d, [0] * d)]).heads
    heads = [{"W": [list(map(scalar, row)) for row in h.W], "v": list(map(value, h.v))} for h in written]
    return {"model": "heads", "semantics": model.semantics.name, "heads": heads}


def target_from_json(data: Any) -> Target:
    """The model of a target file's JSON object; raises `InputError`."""
    if not isinstance(data, dict):
        raise InputError("a target is a JSON object")
    if data.get("model") == "transformer":
        return transformer_from_json(data)
    check_keys(data, {"model", "semantics", "heads"})
    if data["model"] != "heads":
        raise InputError(f'model is "heads" or "transformer", not {shown(data["model"])}')
    semantics = semantics_module.get(data["semantics"])
    if not isinstance(data["heads"], list) or not data["heads"]:
        raise InputError("heads is a list of at least one head")
    heads = [_head(head, f"heads[{h}]") for h, head in enumerate(data["heads"])]
    return AttentionModel(semantics, heads[0].dim, heads)


def _head(data: Any, place: str) -> Head[Any, Any]:
    if not isinstance(data, dict):
        raise InputError(f"{place}: a head is a JSON object")
    try:
        check_keys(data, {"W", "v"})
        W, v = data["W"], data["v"]
        if not isinstance(v, list):
            raise InputError("v is a list of numbers")
        if not isinstance(W, list) or not all(isinstance(row, list) for row in W):
            raise InputError("W is a list of rows of numbers")
        return Head(W, v)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def parse_json(text: str) -> Any:
    """Read JSON strictly: no NaN or Infinity, no repeated keys, no number out of range; raises `InputError`."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_integer,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        raise InputError(f"not JSON: {error.msg} ({place})") from None
    except RecursionError:
        raise InputError("not usable: lists or objects are nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise InputError(f"the key {shown(name)} is repeated")
    return result


def _constant(text: str) -> Any:
    raise InputError(f"{text} is not a number")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise InputError(f"{shown(text)} is too large for a floating-point number")
    return number


def _integer(text: str) -> int:
    limit = sys.get_int_max_str_digits()
    if 0 < limit < len(text.lstrip("-")):
        raise InputError(f"an integer of {len(text)} digits is too long for a JSON number; write it as a string")
    return int(text)


def open_text(path: str | Path) -> IO[str]:
    """Open a file as UTF-8 text; raises `InputError`."""
    try:
        return open(path, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {_reason(error)}") from None


def _read(path: str | Path) -> str:
    try:
        if str(path) == "-":
            if sys.stdin is None:
                raise InputError("standard input is closed")
            data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(_reason(error)) from None
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"larger than {MAX_FILE_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text") from None


def _name(path: str | Path) -> str:
    return "standard input" if str(path) == "-" else str(path)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class AtomicFile:
    """Text in a temporary file beside `path`, which takes the name `path` when the `with` block ends well.

    When the block ends in an error, nothing is left behind, except that a `LearningError` (a result, not a fault) keeps
    what was written under `keep_results`. Devices and pipes are written directly.
    """

    def __init__(self, path: str | Path, *, keep_results: bool = False) -> None:
        """Open the temporary file; raises `InputError` when that is not possible."""
        self._path = Path(path)
        self._keep_results = keep_results
        self._temporary: str | None = None
        self._file: IO[str]
        try:
            if self._path.exists() and not self._path.is_file():
                self._file = open(self._path, "w", encoding="utf-8")  # noqa: SIM115
                return
            # A link keeps pointing to the file that is replaced.
            self._path = self._path.resolve()
            if self._path.exists() and not os.access(self._path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            handle, self._temporary = tempfile.mkstemp(prefix=f".{self._path.name[:50]}.", dir=self._path.parent)
            self._file = open(handle, "w", encoding="utf-8")  # noqa: SIM115
        except (OSError, ValueError, RuntimeError) as error:
            raise self._failure(error) from None

    def write(self, text: str) -> None:
        """Write some text; raises `InputError` when the disk refuses."""
        try:
            self._file.write(text)
        except OSError as error:
            raise self._failure(error) from None

    def __enter__(self) -> AtomicFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if kind is None or (self._keep_results and issubclass(kind, LearningError)):
            self._commit()
        else:
            self._discard()

    def _commit(self) -> None:
        try:
            self._file.flush()
            if self._temporary is not None:
                os.fsync(self._file.fileno())
                os.chmod(self._temporary, _mode(self._path))
                os.replace(self._temporary, self._path)
            self._file.close()
        except OSError as error:
            self._discard()
            raise self._failure(error) from None
        except BaseException:
            self._discard()
            raise

    def _discard(self) -> None:
        try:
            self._file.close()
        except OSError:
            pass  # The disk is full: the text that could not be flushed is to be thrown away anyhow.
        finally:
            if self._temporary is not None:
                Path(self._temporary).unlink(missing_ok=True)

    def _failure(self, error: Exception) -> InputError:
        reason = _reason(error) if isinstance(error, OSError | ValueError) else str(error)
        return InputError(f"cannot write {self._path}: {reason}")


def _mode(path: Path) -> int:
    """The permissions a file at `path` has, or gets when created anew."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def write_atomically(path: str | Path, text: str) -> None:
    """Write a whole text file or nothing; raises `InputError` when it cannot be written."""
    with AtomicFile(path) as file:
        file.write(text)
