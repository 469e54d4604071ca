"""The requests and what their responses mean: what both clients share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import httpx

from .errors import BusyError, CallLostError, RequestError
from .models import JSON, CleanUtterance, Participant, Speaker, Utterance

#: How often a request is sent again if the service is busy or the connection broke. Requests that
#: change something have sequence numbers, by which the service knows a repetition.
RETRIES = 4

Said = str | Utterance


def path(call_id: str, what: str) -> str:
    return f"/v1/calls/{quote(call_id, safe='')}/{what}"


def headers(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def pause(attempt: int, response: httpx.Response | None) -> float:
    """The seconds until the next attempt."""
    if response is not None:
        try:
            return min(float(response.headers.get("Retry-After", "")), 30.0)
        except ValueError:
            pass
    return float(0.1 * 2**attempt)


def check(response: httpx.Response) -> Any:
    """Returns the body of a response, or raises what it says."""
    if response.status_code in (200, 207):  # 207: some files were not anonymized, and say why
        return response.json()
    try:
        message = str(response.json()["error"])
    except (ValueError, KeyError, TypeError):
        message = "the service did not answer as expected"
    kind: type[RequestError] = RequestError
    if response.status_code == 503:
        kind = BusyError
    elif response.request.url.path.startswith("/v1/calls/") and response.status_code in (404, 410):
        kind = CallLostError
    raise kind(response.status_code, message)


def about(
    participants: Sequence[Participant] | None,
    context: str | None,
    tenant: str | None,
    language: str | None,
    sensitivity: str | None,
) -> JSON:
    body: JSON = {}
    if participants:
        body["participants"] = [p.to_json() for p in participants]
    given = (("context", context), ("tenant", tenant), ("language", language), ("sensitivity", sensitivity))
    for key, value in given:
        if value is not None:
            body[key] = value
    return body


def utterances(said: Iterable[Said]) -> list[JSON]:
    return [(Utterance(u) if isinstance(u, str) else u).to_json() for u in said]


class CallState:
    """What a client remembers of a live call: the next sequence number, and whether it began."""

    def __init__(self) -> None:
        self.seq = 0
        self.begun = False

    def request(self, said: Sequence[Said]) -> JSON:
        numbered = []
        for u in said:
            self.seq += 1
            u = Utterance(u) if isinstance(u, str) else u
            numbered.append(replace(u, seq=self.seq))
        return {"utterances": utterances(numbered), "continue": self.begun}

    def response(self, data: JSON) -> list[CleanUtterance]:
        self.begun = True
        return [CleanUtterance.from_json(u) for u in data["utterances"]]


def said(text: str, speaker: str | Speaker | None) -> Utterance:
    return Utterance(text, Speaker(speaker) if isinstance(speaker, str) else speaker)
