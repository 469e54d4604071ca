"""Starts the real service: the binary that SOTTO_TEST_BIN names."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

TOKEN = "a-token-of-the-tests-0123456789"


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    tokens: Path = tmp_path_factory.mktemp("serve") / "tokens"
    tokens.write_text(TOKEN + "\n")
    address = f"127.0.0.1:{free_port()}"
    settings = {"SOTTO_SERVE_ADDR": address, "SOTTO_SERVE_HEALTH_ADDR": "off", "SOTTO_SERVE_TOKEN_FILE": str(tokens), "SOTTO_MAX_OPEN_CALLS": "50"}
    service = subprocess.Popen([os.environ["SOTTO_TEST_BIN"], "serve"], env={**os.environ, **settings})
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                if httpx.get(f"http://{address}/health").status_code == 200:
                    break
            except httpx.TransportError:
                assert time.monotonic() < deadline and service.poll() is None, "the service did not start"
                time.sleep(0.05)
        yield f"http://{address}"
    finally:
        service.terminate()
        assert service.wait(60) == 0
