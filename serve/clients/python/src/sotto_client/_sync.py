"""The synchronous client."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

import httpx

from . import _protocol as protocol
from .models import JSON, CallSummary, CleanUtterance, Conversation, FileResult, Participant, Policy, Speaker, Text


class Client:
    """A client of the service at a URL. Close it, or use it as a context manager.

    ``transport_options`` go to ``httpx.Client``: ``verify`` and ``cert`` for mutual TLS, for
    example.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        token: str | None = None,
        timeout: float = 60.0,
        **transport_options: Any,
    ) -> None:
        self._http = httpx.Client(
            base_url=url, timeout=timeout, headers=protocol.headers(token), **transport_options
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def anonymize(
        self, text: str, *, language: str | None = None, tenant: str | None = None, sensitivity: str | None = None
    ) -> Text:
        """Anonymizes one text. ``sensitivity`` is balanced, high or maximum, here and elsewhere."""
        body = protocol.about(None, None, tenant, language, sensitivity) | {"text": text}
        return Text.from_json(self.post("/v1/anonymize", json=body))

    def anonymize_conversation(
        self,
        utterances: Iterable[protocol.Said],
        *,
        participants: Sequence[Participant] | None = None,
        context: str | None = None,
        tenant: str | None = None,
        language: str | None = None,
        sensitivity: str | None = None,
        live: bool = False,
        raw_offsets: bool = False,
    ) -> Conversation:
        """Anonymizes a whole conversation. What is learned late is masked early, unless ``live``."""
        body = protocol.about(participants, context, tenant, language, sensitivity)
        body |= {"utterances": protocol.utterances(utterances), "live": live, "raw_offsets": raw_offsets}
        return Conversation.from_json(self.post("/v1/anonymize", json=body))

    def anonymize_files(
        self, files: Iterable[tuple[str, bytes]], *, format: str | None = None, sensitivity: str | None = None
    ) -> list[FileResult]:
        """Anonymizes files, given as name and contents. The format is detected if it is not given."""
        parts = [("file", f) for f in files]
        if not parts:
            return []
        data = self.post("/v1/files", files=parts, params={"format": format or "", "sensitivity": sensitivity or ""})
        return [FileResult.from_json(f) for f in data["files"]]

    def call(
        self,
        call_id: str,
        *,
        participants: Sequence[Participant] | None = None,
        context: str | None = None,
        tenant: str | None = None,
        language: str | None = None,
        sensitivity: str | None = None,
    ) -> Call:
        """Begins a live call."""
        return Call(self, call_id, protocol.about(participants, context, tenant, language, sensitivity))

    def policy(self) -> Policy:
        """Returns what the service masks."""
        return Policy.from_json(self._send("GET", "/v1/policy"))

    def post(self, path: str, **options: Any) -> Any:
        """Sends a request to any endpoint of the service, and returns its body."""
        return self._send("POST", path, **options)

    def _send(self, method: str, path: str, **options: Any) -> Any:
        for attempt in range(protocol.RETRIES + 1):
            response = None
            try:
                response = self._http.request(method, path, **options)
                if response.status_code != 503 or attempt == protocol.RETRIES:
                    break
            except httpx.TransportError:
                if attempt == protocol.RETRIES:
                    raise
            time.sleep(protocol.pause(attempt, response))
        assert response is not None
        return protocol.check(response)


class Call:
    """A live call. Its requests must come one after the other."""

    def __init__(self, client: Client, call_id: str, about: JSON) -> None:
        self._client, self._id, self._about = client, call_id, about
        self._state = protocol.CallState()
        #: The summary, once the call has ended.
        self.summary: CallSummary | None = None

    def __enter__(self) -> Call:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None and self.summary is None and self._state.begun:
            self.end()

    def say(self, text: str, speaker: str | Speaker | None = None) -> list[CleanUtterance]:
        """Anonymizes the next utterance."""
        return self.add([protocol.said(text, speaker)])

    def add(self, utterances: Sequence[protocol.Said]) -> list[CleanUtterance]:
        """Anonymizes the next utterances."""
        self._start()
        path = protocol.path(self._id, "utterances")
        return self._state.response(self._client.post(path, json=self._state.request(utterances)))

    def end(self) -> list[CleanUtterance]:
        """Ends the call. See ``summary``."""
        self._start()
        data = self._client.post(protocol.path(self._id, "end"))
        self.summary = CallSummary.from_json(data["call"])
        return self._state.response(data)

    def _start(self) -> None:
        if not self._state.begun and self._about:
            self._state.response(self._client.post(protocol.path(self._id, "start"), json=self._about))
