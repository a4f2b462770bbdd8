"""Writing to the terminal: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from attention_queries.errors import InputError


def print_text(text: str) -> None:
    """Write to standard output at once; raises `InputError` when nobody reads it or the disk is full."""
    if sys.stdout is None:
        raise InputError("standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_stdout()
        raise InputError("standard output is closed") from None
    except OSError as error:
        discard_stdout()
        raise InputError(f"cannot write to standard output: {error.strerror}") from None


def counted(n: int, noun: str) -> str:
    """A number with its noun: "1 head", "2 heads"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def discard_stdout() -> None:
    """Send what is still buffered for standard output nowhere, so that Python's exit does not fail on it."""
    if sys.stdout is None:
        return
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def error_line(message: str, code: int) -> int:
    """Write one line to standard error and return the exit code."""
    line = "".join(c if c.isprintable() else " " for c in message)
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"attnq: {' '.join(line.split())}\n")
            sys.stderr.flush()
    except OSError:
        pass  # There is nowhere left to say so; the exit code still tells.
    return code


@contextmanager
def progress_bar(label: str, *, shown: bool = True) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, if that is a terminal; call what it gives with the work done and in all."""
    stream: IO[str] | None = sys.stderr
    if not shown or stream is None or not stream.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
