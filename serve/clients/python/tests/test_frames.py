from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest
from conftest import TOKEN

from sotto_client import Client
from sotto_client.frames import anonymize_dataset, anonymize_frame


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    with Client(url, token=TOKEN) as c:
        yield c


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "call_id": ["quimby-7", "b", "quimby-7", "b"],
            "speaker": ["Ines", "x", "Bob", None],
            "text": ["the latch side is fine", "hello", "My name is Rosa Latch.", None],
            "notes": ["Quimby", "", "", ""],
            "rating": [1, 2, 3, 4],
        },
        index=[10, 11, 12, 13],
    )


def test_texts(client: Client, frame: pd.DataFrame) -> None:
    got = anonymize_frame(client, frame, keep=["rating"])
    assert list(got.columns) == ["rating", "text"], "other columns may be personal"
    assert list(got.index) == [10, 11, 12, 13]
    assert got["text"][12] == "My name is [PERSON_NAME_1]." and got["text"][13] is None


def test_conversations(client: Client, frame: pd.DataFrame) -> None:
    got = anonymize_frame(client, frame, call="call_id", speaker="speaker")
    assert got["text"][10] == "the [PERSON_NAME_1] side is fine"
    assert list(got["call_id"]) == [0, 1, 0, 1]
    assert list(got["speaker"]) == ["s1", "s1", "s2", None]
    assert got["text"][13] is None
    assert "uimby" not in got.to_csv()


def test_bad_columns(client: Client, frame: pd.DataFrame) -> None:
    with pytest.raises(KeyError):
        anonymize_frame(client, frame, text="words")
    with pytest.raises(ValueError):
        anonymize_frame(client, frame, keep=["text"])


def test_datasets(client: Client, frame: pd.DataFrame) -> None:
    datasets = pytest.importorskip("datasets")
    got = anonymize_dataset(client, datasets.Dataset.from_pandas(frame, preserve_index=False), call="call_id", keep=["rating"])
    assert got.column_names == ["rating", "text", "call_id"]
    assert got[0]["text"] == "the [PERSON_NAME_1] side is fine" and got[3]["rating"] == 4
