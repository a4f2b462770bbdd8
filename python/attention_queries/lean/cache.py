"""The cache of compiled Lean modules: one folder a content hash, moved into place in one step.

A key is a hash of everything that a compiled module depends on, so that entries never go stale, copies of the library
share what they have in common, and several processes can work at once: whoever finishes first provides the entry.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from attention_queries.errors import InputError

try:
    import fcntl
except ImportError:  # not on Windows, where only `lake` runs Lean
    fcntl = None  # type: ignore[assignment]

UNUSED_DAYS = 30
"""Entries that nobody used for so long are deleted."""


def cache_folder() -> Path:
    """`$ATTNQ_CACHE`, or `attention-queries` in the user's cache folder; created if missing."""
    named = os.environ.get("ATTNQ_CACHE")
    if named:
        folder = Path(named).expanduser().absolute()
    else:
        base = os.environ.get("XDG_CACHE_HOME")
        folder = (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "attention-queries"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot use the cache folder {folder} ({error.strerror}); set ATTNQ_CACHE") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"cannot write to the cache folder {folder}; set ATTNQ_CACHE to a folder of yours")
    return folder


def digest(*parts: str | bytes) -> str:
    """A hash of several texts, in which their borders count."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:40]


@dataclass(frozen=True)
class Entry:
    """A cached file and how long it took to make."""

    path: Path
    seconds: float


class Cache:
    """Files by key below one folder, each with a checksum that is compared whenever it is used."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder()
        self._entries = self.folder / "entries"
        self._trees = self.folder / "trees"
        self._locks = self.folder / "locks"
        try:
            for sub in (self._entries, self._trees, self._locks):
                sub.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write to the cache folder {self.folder}: {error.strerror}") from None

    @contextlib.contextmanager
    def new_folder(self) -> Iterator[Path]:
        """A temporary folder on the cache's file system."""
        with tempfile.TemporaryDirectory(prefix="new-", dir=self.folder, ignore_cleanup_errors=True) as folder:
            yield Path(folder)

    @contextlib.contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Let no other process or thread make the same entry meanwhile, where the system has such locks."""
        if fcntl is None:
            yield
            return
        with (self._locks / key[:3]).open("w") as file:  # few files; sharing one costs nothing but time
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def get(self, key: str) -> Entry | None:
        """The intact entry of a key; a damaged one is removed."""
        folder = self._entries / key
        try:
            facts = json.loads((folder / "facts.json").read_text())
            with (folder / "file").open("rb") as file:
                intact = hashlib.file_digest(file, "sha256").hexdigest() == facts["sha256"]
            if intact:
                os.utime(folder)
                return Entry(folder / "file", float(facts["seconds"]))
        except FileNotFoundError:
            if not folder.exists():
                return None
        except (OSError, ValueError, KeyError, TypeError):
            pass
        shutil.rmtree(folder, ignore_errors=True)
        return None

    def put(self, key: str, file: Path, seconds: float) -> Entry:
        """Move `file`, made in a folder from `new_folder`, into the cache."""
        with file.open("rb") as content:
            checksum = hashlib.file_digest(content, "sha256").hexdigest()
        target = self._entries / key
        with self.new_folder() as new:
            entry = new / "entry"
            entry.mkdir()
            file.rename(entry / "file")
            (entry / "facts.json").write_text(json.dumps({"sha256": checksum, "seconds": round(seconds, 4)}))
            try:
                entry.rename(target)
            except OSError:  # another process was first; its entry serves unless it is damaged
                found = self.get(key)
                if found is not None:
                    return found
                shutil.rmtree(target, ignore_errors=True)
                entry.rename(target)
        return Entry(target / "file", seconds)

    def tree(self, keys: Mapping[str, str]) -> Path:
        """A folder for LEAN_PATH in which each module's `.olean` is a link to its entry, present or still to come."""
        target = self._trees / digest(*(f"{module} {key}" for module, key in sorted(keys.items())))
        links = {f"{module.replace('.', '/')}.olean": self._entries / key / "file" for module, key in keys.items()}

        def complete() -> bool:
            try:
                return all(os.readlink(target / name) == str(file) for name, file in links.items())
            except OSError:
                return False

        if not complete():
            with self.new_folder() as new:
                tree = new / "tree"
                for name, file in links.items():
                    (tree / name).parent.mkdir(parents=True, exist_ok=True)
                    (tree / name).symlink_to(file)
                try:
                    tree.rename(target)
                except OSError:
                    if not complete():
                        shutil.rmtree(target, ignore_errors=True)
                        tree.rename(target)
        os.utime(target)
        return target

    def prune(self) -> None:
        """Delete what was not used for `UNUSED_DAYS` days, and what interrupted processes left behind."""
        now = time.time()
        old = [(folder, UNUSED_DAYS) for parent in (self._entries, self._trees) for folder in parent.iterdir()]
        old += [(folder, 1) for folder in self.folder.glob("new-*")]
        for folder, days in old:
            with contextlib.suppress(OSError):
                if folder.stat().st_mtime < now - days * 86400:
                    shutil.rmtree(folder, ignore_errors=True)
