"""The README's Python example runs and prints what its comments say; its paths exist."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_it_says() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen):
        exec(compile(code, "README.md", "exec"), {})
    assert screen.getvalue().splitlines() == re.findall(r"^print\(.*\) +# (.*)$", code, re.MULTILINE)


def test_linked_files_exist() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
