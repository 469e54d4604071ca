"""Writes src/sotto_client/_async.py from _sync.py: the same client with async and await."""

import re
from pathlib import Path

PACKAGE = Path(__file__).parent / "src" / "sotto_client"

ASYNC_METHODS = "anonymize anonymize_conversation anonymize_files policy post _send say add end _start close".split()
AWAITED = ["self.post(", "self._send(", "self._client.post(", "self._http.request(", "self.add(", "self.close()", "self.end()"]


def generate() -> str:
    """Returns what _async.py must hold."""
    s = (PACKAGE / "_sync.py").read_text()
    s = s.replace('"""The synchronous client."""', '"""The asynchronous client. generate_async.py writes it from _sync.py; do not edit."""')
    s = s.replace("import time\n", "import asyncio\n").replace("time.sleep", "await asyncio.sleep")
    s = s.replace("httpx.Client", "httpx.AsyncClient")
    for before in ("class ", "-> ", "client: ", "return "):
        s = re.sub(rf"{before}(Client|Call)\b", rf"{before}Async\1", s)
    for name in ASYNC_METHODS:
        s = s.replace(f"    def {name}(", f"    async def {name}(")
    s = s.replace("def __enter__", "async def __aenter__").replace("def __exit__", "async def __aexit__")

    for call in AWAITED:
        s = s.replace(call, "await " + call)
    s = s.replace("        self._start()", "        await self._start()")
    s = s.replace("self._http.close()", "await self._http.aclose()")
    return s


if __name__ == "__main__":
    (PACKAGE / "_async.py").write_text(generate())
