"""What sotto anonymize writes of a recognizer's or vendor's format is read by the parser of the vendor, or by the one that people use."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import assemblyai.types
import google.cloud.contact_center_insights_v1
import google.cloud.speech
import pycaption
import pytest
import rev_ai.models
import srt
import webvtt
from deepgram.types.listen_v1response import ListenV1Response
from speechmatics.batch import Transcript

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import vcon

SAMPLES = pathlib.Path(__file__).parents[4] / "files/testdata/formats"


def loaded(path: pathlib.Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def vtt(path: pathlib.Path) -> Iterable[str]:
    return (c.text for c in webvtt.read(str(path)).captions)


def ttml(path: pathlib.Path) -> Iterable[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        captions = pycaption.DFXPReader().read(path.read_text(encoding="utf-8"))
    return (c.get_text() for language in captions.get_languages() for c in captions.get_captions(language))


def google_speech(path: pathlib.Path) -> Iterable[str]:
    answer = google.cloud.speech.LongRunningRecognizeResponse.from_json(path.read_text(encoding="utf-8"))
    return (r.alternatives[0].transcript for r in answer.results)


def insights(path: pathlib.Path) -> Iterable[str]:
    call = google.cloud.contact_center_insights_v1.Conversation.from_json(path.read_text(encoding="utf-8"))
    return (s.text for s in call.transcript.transcript_segments)


def deepgram(path: pathlib.Path) -> Iterable[str]:
    answer = ListenV1Response.model_validate(loaded(path))
    return (str(a.transcript) for c in answer.results.channels for a in c.alternatives or ())


def rev(path: pathlib.Path) -> Iterable[str]:
    return (e.value for m in rev_ai.models.Transcript.from_json(loaded(path)).monologues for e in m.elements)


def vcon_file(path: pathlib.Path) -> Iterable[str]:
    call = vcon.Vcon.build_from_json(path.read_text(encoding="utf-8"))
    before = vcon.Vcon.build_from_json((SAMPLES / path.name).read_text(encoding="utf-8"))
    assert call.is_valid() == before.is_valid()
    return (d["body"] for d in call.dialog if d.get("mimetype") == "text/plain")


READERS: dict[str, Callable[[pathlib.Path], Iterable[str]]] = {
    "captions.vtt": vtt,
    "teams.vtt": vtt,
    "zoom.vtt": vtt,
    "captions.sbv": lambda p: (c.text for c in webvtt.from_sbv(str(p)).captions),
    "captions.srt": lambda p: (c.content for c in srt.parse(p.read_text(encoding="utf-8"))),
    "captions.ttml": ttml,
    "assemblyai.json": lambda p: [str(assemblyai.types.TranscriptResponse.parse_obj(loaded(p)).text)],
    "ccai.json": insights,
    "deepgram.json": deepgram,
    "google.json": google_speech,
    "rev.json": rev,
    "speechmatics.json": lambda p: (a.content for r in Transcript.from_dict(loaded(p)).results for a in r.alternatives or ()),
    "vcon.json": vcon_file,
}


@pytest.mark.parametrize("name", READERS)
def test_reader(name: str, tmp_path: pathlib.Path) -> None:
    out = tmp_path / name
    subprocess.run([os.environ["SOTTO_TEST_BIN"], "anonymize", SAMPLES / name, "-o", out], check=True, capture_output=True)
    before, after = (" ".join(" ".join(READERS[name](path)).lower().split()) for path in (SAMPLES / name, out))
    assert "quimby" in before and "quimby" not in after and "person_name_1" in after
    assert "have a new card" in before and "have a new card" in after
