"""The examples in the page about network learners print what their comments say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "docs" / "ffn-learners.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_print_what_they_say(code: str) -> None:
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen):
        exec(compile(code, "ffn-learners.md", "exec"), {})
    expected = re.findall(r"^print\(.*\)  # (.*)$", code, re.MULTILINE)
    assert expected
    assert screen.getvalue().splitlines() == expected
