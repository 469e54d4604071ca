"""Reads an export of `sotto corpus export` as a Hugging Face dataset, and collates its rows so that a
model never learns an identifier.

A tokenizer is anything that is called as the fast tokenizers of `transformers` are: with a list of
texts and return_offsets_mapping=True, it returns input_ids and offset_mapping. The collators take the
positions of identifiers from the rows, so they work with any such tokenizer. If the export was made
with the same tokenizer.json, `loss_mask` and `no_mask` in the rows say the same (see check_masks).
"""

import json
import random
import sys

import datasets
import numpy as np

IGNORED = -100  # the label that the loss functions of PyTorch and transformers leave out


def load(folder):
    """Loads the shards that the manifest names, as a DatasetDict of train and validation."""
    with open(f"{folder}/manifest.json", encoding="utf-8") as f:
        files = [x["name"] for x in json.load(f)["files"]]
    parts = {
        part: [f"{folder}/{name}" for name in files if name.startswith(part + "-")]
        for part in ("train", "validation")
    }
    parts = {part: names for part, names in parts.items() if names}
    kind = "parquet" if files[0].endswith(".parquet") else "json"
    return datasets.load_dataset(kind, data_files=parts)


def identifiers(row):
    """The spans of the direct and indirect identifiers of a row, in code points of its text."""
    return [(s["start"], s["end"]) for s in row["entities"] + row["indirect"]]


def is_identifier(offsets, spans):
    """For each token, whether it is part of an identifier."""
    return [any(a < end and start < b for a, b in spans) for start, end in offsets]


def _pad(rows, value):
    width = max(len(r) for r in rows)
    return np.array([list(r) + [value] * (width - len(r)) for r in rows], dtype=np.int64)


class CausalCollator:
    """Privacy-preserving causal language modelling: the loss leaves out identifiers. They stay in the
    context of the next tokens."""

    def __init__(self, tokenizer, pad_id=0):
        self.tokenizer, self.pad_id = tokenizer, pad_id

    def __call__(self, rows):
        batch = self.tokenizer([r["text"] for r in rows], return_offsets_mapping=True)
        labels = [
            [IGNORED if hidden else i for i, hidden in zip(ids, is_identifier(offsets, identifiers(row)))]
            for ids, offsets, row in zip(batch["input_ids"], batch["offset_mapping"], rows)
        ]
        return {
            "input_ids": _pad(batch["input_ids"], self.pad_id),
            "attention_mask": _pad([[1] * len(i) for i in batch["input_ids"]], 0),
            "labels": _pad(labels, IGNORED),
        }


class MaskedCollator:
    """Privacy-preserving masked language modelling: masks are drawn among the tokens that identify
    nobody, so that a model never has to predict an identifier."""

    def __init__(self, tokenizer, mask_id, pad_id=0, share=0.15, seed=0):
        self.tokenizer, self.mask_id, self.pad_id = tokenizer, mask_id, pad_id
        self.share, self.random = share, random.Random(seed)

    def __call__(self, rows):
        batch = self.tokenizer([r["text"] for r in rows], return_offsets_mapping=True)
        inputs, labels = [], []
        for ids, offsets, row in zip(batch["input_ids"], batch["offset_mapping"], rows):
            hidden = is_identifier(offsets, identifiers(row))
            chosen = [not h and self.random.random() < self.share for h in hidden]
            inputs.append([self.mask_id if c else i for i, c in zip(ids, chosen)])
            labels.append([i if c else IGNORED for i, c in zip(ids, chosen)])
        return {
            "input_ids": _pad(inputs, self.pad_id),
            "attention_mask": _pad([[1] * len(i) for i in inputs], 0),
            "labels": _pad(labels, IGNORED),
        }


def check_masks(row, offsets):
    """Fails if the masks of a row, made with the same tokenizer, differ from those made here."""
    hidden = is_identifier(offsets, identifiers(row))
    assert row["loss_mask"] == [0 if h else 1 for h in hidden]
    assert row["no_mask"] == [i for i, h in enumerate(hidden) if h]


class FastTokenizer:
    """A tokenizer.json, called as the tokenizers of `transformers` are."""

    def __init__(self, path):
        import tokenizers

        self.tokenizer = tokenizers.Tokenizer.from_file(path)

    def __call__(self, texts, return_offsets_mapping=True):
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return {"input_ids": [e.ids for e in encoded], "offset_mapping": [e.offsets for e in encoded]}


def main(folder, tokenizer_json):
    data = load(folder)
    tokenizer = FastTokenizer(tokenizer_json)
    tokens = learned = 0
    for part in data:
        rows = list(data[part])
        for row in rows:
            encoded = tokenizer([row["text"]])
            if row["input_ids"]:
                assert row["input_ids"] == encoded["input_ids"][0]
                check_masks(row, encoded["offset_mapping"][0])
        batch = CausalCollator(tokenizer)(rows)
        tokens += int(batch["attention_mask"].sum())
        learned += int((batch["labels"] != IGNORED).sum())
        masked = MaskedCollator(tokenizer, mask_id=1)(rows)
        hidden = batch["labels"] == IGNORED
        assert (masked["labels"][hidden] == IGNORED).all(), "an identifier is to be predicted"
        print(f"{part}: {len(rows)} calls, {batch['input_ids'].shape[1]} tokens in the longest")
    print(f"{tokens} tokens, of which a causal model learns {learned}")
    assert 0 < learned < tokens


if __name__ == "__main__":
    main(*sys.argv[1:])
