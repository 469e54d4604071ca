"""Client of ``sotto serve``, which anonymizes call transcripts."""

from ._async import AsyncCall, AsyncClient
from ._sync import Call, Client
from .errors import BusyError, CallLostError, RequestError, SottoError
from .models import (
    CallSummary,
    CleanUtterance,
    Conversation,
    Entity,
    FileResult,
    Participant,
    Policy,
    Speaker,
    Text,
    Utterance,
)

__all__ = [
    "AsyncCall",
    "AsyncClient",
    "BusyError",
    "Call",
    "CallLostError",
    "CallSummary",
    "CleanUtterance",
    "Client",
    "Conversation",
    "Entity",
    "FileResult",
    "Participant",
    "Policy",
    "RequestError",
    "SottoError",
    "Speaker",
    "Text",
    "Utterance",
]
