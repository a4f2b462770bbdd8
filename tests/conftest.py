"""What every test may use."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from lean_support import pinned_miniature

settings.register_profile(
    "project", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("project")


@pytest.fixture
def target_file(tmp_path: Path) -> Any:
    """A function that writes text to a file and returns its path."""

    def write(text: str, name: str = "target.json") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def pinned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A miniature library with pinned statements, to be read only."""
    return pinned_miniature(tmp_path_factory.mktemp("pinned"))


@pytest.fixture
def copy(pinned: Path, tmp_path: Path) -> Path:
    """A copy of the miniature library, to be changed."""
    return shutil.copytree(pinned, tmp_path / "copy", symlinks=True)
