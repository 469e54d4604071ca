"""Helpers for tables: pandas and Hugging Face datasets.

A result has only the columns that were anonymized and those named in ``keep``: any other column may
be personal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from ._sync import Client
from .models import Speaker, Utterance

if TYPE_CHECKING:
    import pandas as pd
    from datasets import Dataset

T = TypeVar("T")
R = TypeVar("R")


def anonymize_frame(
    client: Client,
    frame: pd.DataFrame,
    *,
    text: str = "text",
    call: str | None = None,
    speaker: str | None = None,
    keep: Sequence[str] = (),
    context: str | None = None,
    workers: int = 4,
) -> pd.DataFrame:
    """Anonymizes a column of texts.

    With ``call``, the rows with the same value in that column are one conversation, in their
    order, and the calls are named 0, 1 and so on in the result. With ``speaker``, that column
    says who speaks, and becomes s1, s2 and so on. Texts that are missing, or withheld because of
    their language, are missing in the result.
    """
    import pandas as pd

    named = [c for c in (text, call, speaker) if c is not None]
    missing = [c for c in [*named, *keep] if c not in frame.columns]
    if missing:
        raise KeyError(f"the frame has no column {missing[0]!r}")
    if set(keep) & set(named):
        raise ValueError("keep names a column that is anonymized")

    result = frame.loc[:, list(keep)].copy()
    texts = [None if pd.isna(t) else str(t) for t in frame[text]]
    if call is None:
        clean = _map(lambda t: None if t is None else _shown(client.anonymize(t)), texts, workers)
        result[text] = pd.Series(clean, index=frame.index, dtype=object)
        return result

    who = [None if speaker is None or pd.isna(s) else str(s) for s in (frame[speaker] if speaker else texts)]
    groups = [list(rows) for rows in frame.reset_index(drop=True).groupby(call, sort=False, dropna=False).indices.values()]

    def one(rows: list[int]) -> list[tuple[str | None, str | None]]:
        said = [Utterance(t or "", Speaker(s) if s is not None else None) for t, s in ((texts[i], who[i]) for i in rows)]
        done = client.anonymize_conversation(said, context=context).utterances
        return [(_shown(u), u.speaker.id if u.speaker else None) for u in done]

    columns: dict[str, list[Any]] = {c: [None] * len(frame) for c in named}
    for number, (rows, conversation) in enumerate(zip(groups, _map(one, groups, workers))):
        for i, (words, name) in zip(rows, conversation, strict=True):
            columns[call][i] = number
            columns[text][i] = None if texts[i] is None else words
            if speaker is not None:
                columns[speaker][i] = name
    for name, values in columns.items():
        result[name] = pd.Series(values, index=frame.index, dtype=object if name != call else int)
    return result


def anonymize_dataset(
    client: Client,
    dataset: Dataset,
    *,
    text: str = "text",
    call: str | None = None,
    speaker: str | None = None,
    keep: Sequence[str] = (),
    context: str | None = None,
    workers: int = 4,
) -> Dataset:
    """Does what ``anonymize_frame`` does, with a dataset of Hugging Face."""
    from datasets import Dataset

    clean = anonymize_frame(
        client,
        dataset.to_pandas(),
        text=text,
        call=call,
        speaker=speaker,
        keep=keep,
        context=context,
        workers=workers,
    )
    return Dataset.from_pandas(clean, preserve_index=False)


def _shown(result: Any) -> str | None:
    return None if result.held else str(result.text)


def _map(do: Callable[[T], R], items: Iterable[T], workers: int) -> list[R]:
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(do, items))
