"""The `attnq` application: its commands, and how every outcome becomes an exit code and one message.

Exit codes: 0 success, 1 an honest negative result (`LearningError`), 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, NoReturn

import typer

from attention_queries import __version__
from attention_queries.cli import certify, fibre, generate, lean, learn, reproduce
from attention_queries.cli.output import discard_stdout, error_line, print_text
from attention_queries.errors import AttentionQueriesError, InputError, LearningError

_USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]
"""The class of all usage errors; typer names only `BadParameter`, which comes from a different place by version."""

_INTERRUPTED = 130

app = typer.Typer(
    name="attnq",
    help="Learn softmax attention exactly from queries, with proofs checked by Lean.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_text(f"attnq {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


for _group in (generate, learn, fibre, certify, lean, reproduce):
    _group.register(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `attnq` with the given arguments (default: those of the process) and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        with _ending_as_interrupts():
            return _run(arguments)
    except LearningError as error:
        return error_line(str(error), 1)
    except AttentionQueriesError as error:
        return error_line(str(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        return error_line("interrupted", _INTERRUPTED)
    except MemoryError:
        return error_line("not enough memory", 2)
    except OSError as error:
        discard_stdout()
        return error_line(error.strerror or str(error), 2)
    except Exception as error:
        if isinstance(error, _USAGE_ERROR):
            text = error.format_message() if hasattr(error, "format_message") else str(error)
            return error_line(f"{text} (see attnq --help)", 2)
        if os.environ.get("ATTNQ_TRACEBACK"):
            raise
        return error_line(
            f"internal error: {type(error).__name__}: {error} (set ATTNQ_TRACEBACK=1 to see where, and report it)", 70
        )


@contextmanager
def _ending_as_interrupts() -> Iterator[None]:
    """Let `kill` and a closed terminal clean up temporary files and child processes as Ctrl-C does."""

    def interrupt(number: int, frame: object) -> NoReturn:
        raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()
    ending = [s for s in signal.Signals if s.name in ("SIGTERM", "SIGHUP") and signal.getsignal(s) == signal.SIG_DFL]
    for s in ending if is_main else ():
        signal.signal(s, interrupt)
    try:
        yield
    finally:
        for s in ending if is_main else ():
            signal.signal(s, signal.SIG_DFL)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = app(args=arguments if arguments is None else list(arguments), prog_name="attnq", standalone_mode=False)
    except SystemExit:
        # Typer's own reaction to a broken pipe; commands never exit this way.
        discard_stdout()
        raise InputError("standard output is closed") from None
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    print_text("")
    return code if isinstance(code, int) else 0
