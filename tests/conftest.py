"""What every test may use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

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
