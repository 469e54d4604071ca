"""What is sent to the service and what it returns. serve/openapi.yaml describes the fields."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

JSON = dict[str, Any]
Role = Literal["AGENT", "CUSTOMER", "UNKNOWN"]


def _compact(fields: Mapping[str, Any]) -> JSON:
    return {k: v for k, v in fields.items() if v is not None and v != []}


@dataclass(frozen=True)
class Speaker:
    """Who speaks. In results, ``id`` is s1, s2 and so on, and the label is anonymized."""

    id: str = ""
    label: str = ""
    role: Role = "UNKNOWN"

    def to_json(self) -> JSON:
        return {"id": self.id, "label": self.label, "role": self.role}

    @staticmethod
    def from_json(data: JSON) -> Speaker:
        return Speaker(data.get("id", ""), data.get("label", ""), data.get("role", "UNKNOWN"))


@dataclass(frozen=True)
class Participant:
    """Values that are known to be personal in a call before anybody says them."""

    names: list[str] = field(default_factory=list)
    organization: str | None = None
    emails: list[str] = field(default_factory=list)
    phones: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    speaker_id: str | None = None

    def to_json(self) -> JSON:
        return _compact(vars(self))


@dataclass(frozen=True)
class Utterance:
    """What somebody said."""

    text: str
    speaker: Speaker | None = None
    seq: int | None = None
    lexical: str | None = None
    final: bool | None = None
    language: str | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    timestamp_ms: int | None = None

    def to_json(self) -> JSON:
        fields = dict(vars(self))
        fields["speaker"] = self.speaker.to_json() if self.speaker else None
        return _compact(fields)


@dataclass(frozen=True)
class Entity:
    """A span that was replaced. Positions count code points, as in a ``str``."""

    start: int
    end: int
    type: str
    score: float
    id: int = 0
    detector: str = ""
    raw_start: int | None = None
    raw_end: int | None = None

    @staticmethod
    def from_json(data: JSON) -> Entity:
        return Entity(
            data["start"],
            data["end"],
            data["type"],
            data["score"],
            data.get("id", 0),
            data.get("detector", ""),
            data.get("raw_start"),
            data.get("raw_end"),
        )


def _entities(data: JSON) -> list[Entity]:
    return [Entity.from_json(e) for e in data["entities"]]


@dataclass(frozen=True)
class Text:
    """An anonymized text. It is empty if ``held``: its language is not supported."""

    text: str
    entities: list[Entity]
    call: CallSummary
    policy: str
    strategy: str
    held: bool = False

    @staticmethod
    def from_json(data: JSON) -> Text:
        call = CallSummary.from_json(data["call"])
        return Text(data["text"], _entities(data), call, data["policy"], data["strategy"], data.get("held", False))


@dataclass(frozen=True)
class CleanUtterance:
    """An anonymized utterance. Its text is empty if ``held``: its language is not supported."""

    seq: int
    text: str
    entities: list[Entity]
    speaker: Speaker | None = None
    language: str = ""
    held: bool = False
    start_ms: int | None = None
    end_ms: int | None = None
    timestamp_ms: int | None = None

    @staticmethod
    def from_json(data: JSON) -> CleanUtterance:
        speaker = data.get("speaker")
        return CleanUtterance(
            data["seq"],
            data["text"],
            _entities(data),
            Speaker.from_json(speaker) if speaker else None,
            data.get("language", ""),
            data.get("held", False),
            data.get("start_ms"),
            data.get("end_ms"),
            data.get("timestamp_ms"),
        )


@dataclass(frozen=True)
class CallSummary:
    """What is known of a call at its end. If not ``release``, do not train on it."""

    utterances: int
    entities: dict[str, int]
    release: bool
    estimated_risk: float | None = None
    reason: str = ""
    #: of a live call, by infoType, the numbers that became others because both are one person's
    renumbered: dict[str, dict[str, int]] = field(default_factory=dict)

    @staticmethod
    def from_json(data: JSON) -> CallSummary:
        return CallSummary(
            data["utterances"],
            data["entities"],
            data["release"],
            data.get("estimated_risk"),
            data.get("reason", ""),
            data.get("renumbered", {}),
        )


@dataclass(frozen=True)
class Conversation:
    """An anonymized conversation."""

    utterances: list[CleanUtterance]
    call: CallSummary
    policy: str
    strategy: str

    @staticmethod
    def from_json(data: JSON) -> Conversation:
        return Conversation(
            [CleanUtterance.from_json(u) for u in data["utterances"]],
            CallSummary.from_json(data["call"]),
            data["policy"],
            data["strategy"],
        )


@dataclass(frozen=True)
class FileResult:
    """An anonymized file in the format of the original, or why there is none."""

    content: bytes
    format: str = ""
    error: str = ""
    notes: list[str] = field(default_factory=list)
    bad_lines: list[int] = field(default_factory=list)

    @staticmethod
    def from_json(data: JSON) -> FileResult:
        content = b64decode(data["content"]) if data.get("base64") else data["content"].encode()
        lines = [b["line"] for b in data.get("bad_lines", [])]
        return FileResult(content, data.get("format", ""), data.get("error", ""), data.get("notes", []), lines)


@dataclass(frozen=True)
class Policy:
    """What the service masks, and how."""

    policy: str
    strategy: str
    info_types: list[str]

    @staticmethod
    def from_json(data: JSON) -> Policy:
        return Policy(data["policy"], data["strategy"], [t["type"] for t in data["info_types"]])
