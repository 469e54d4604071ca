"""Runs the first example of README.md against the service."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import TOKEN


def test_example(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text()
    match = re.search(r"```python\n(.*?)```", readme, re.S)
    assert match is not None
    code = match[1].replace('"http://127.0.0.1:8080", token=None', f"{url!r}, token={TOKEN!r}")
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert "Hi, this is [PERSON_NAME_1]." in out and "It is [PHONE_NUMBER_1], [PERSON_NAME_1]." in out
