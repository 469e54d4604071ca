"""Reads an export of `sotto corpus export` as a Hugging Face dataset, and makes batches of it in which a
model never has to predict an identifier.

A tokenizer is anything that is called as the fast tokenizers of `transformers` are: with a list of
texts and return_offsets_mapping=True, it returns input_ids and offset_mapping. Identifiers are found by
their positions in the rows, so any such tokenizer does.
"""

import json
import random
import re
import sys

import datasets
import numpy as np

IGNORED = -100  # the label that the loss functions of PyTorch and transformers leave out

WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


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


def words_of(text, offsets):
    """For each token, the number of its word, None if it has nothing of one. Tokens that share a word, and
    words that share a token, have one number."""
    at = [None] * len(text)
    for n, m in enumerate(WORD.finditer(text)):
        at[m.start():m.end()] = [n] * (m.end() - m.start())
    out, number, last = [], -1, None
    for start, end in offsets:
        inside = [n for n in at[start:end] if n is not None]
        if inside:
            number += inside[0] != last
            last = inside[-1]
        out.append(number if inside else None)
    return out


def blocks(rows, tokenizer, size=512, special_ids=()):
    """Cuts each call, between words, into blocks of at most `size` tokens. The special tokens that the
    tokenizer puts around a text are around each block; `special_ids` are all that it knows
    (`all_special_ids` of transformers).

    `words` of a block has the number of the word of each token, None where it is not to be masked:
    special tokens, and words that have one or belong to an identifier. `labels` are the tokens but those of
    identifiers."""
    special = set(special_ids)
    for row in rows:
        encoded = tokenizer([row["text"]], return_offsets_mapping=True)
        ids, offsets = list(encoded["input_ids"][0]), list(encoded["offset_mapping"][0])
        of_text = [i for i, (a, b) in enumerate(offsets) if a < b]
        if not of_text:
            continue
        begin, end = of_text[0], of_text[-1] + 1
        room = size - begin - (len(ids) - end)
        hidden = is_identifier(offsets, identifiers(row))
        words = words_of(row["text"], offsets)
        sizes = {w: words.count(w) for w in set(words)} if len(ids) > room else {}
        no_mask = {w for w, i, h in zip(words, ids, hidden) if h or i in special or sizes.get(w, 0) > room}
        maskable = [None if w in no_mask else w for w in words]
        labels = [IGNORED if h else i for i, h in zip(ids, hidden)]
        while begin < end:
            cut = stop = min(begin + room, end)
            while begin < cut < end and words[cut] is not None and words[cut] == words[cut - 1]:
                cut -= 1
            stop = cut if cut > begin else stop  # a word that is longer than a block
            if any(w is not None for w in maskable[begin:stop]):
                yield {
                    name: whole[:of_text[0]] + whole[begin:stop] + whole[end:]
                    for name, whole in (("input_ids", ids), ("words", maskable), ("labels", labels))
                }
            begin = stop


def _pad(rows, value):
    width = max(len(r) for r in rows)
    return np.array([list(r) + [value] * (width - len(r)) for r in rows], dtype=np.int64)


def _batch(inputs, labels, pad_id):
    return {
        "input_ids": _pad(inputs, pad_id),
        "attention_mask": _pad([[1] * len(i) for i in inputs], 0),
        "labels": _pad(labels, IGNORED),
    }


class CausalCollator:
    """Privacy-preserving causal language modelling: the loss leaves out identifiers. They stay in the
    context of the next tokens."""

    def __init__(self, pad_id=0):
        self.pad_id = pad_id

    def __call__(self, batch):
        return _batch([b["input_ids"] for b in batch], [b["labels"] for b in batch], self.pad_id)


class MaskedCollator:
    """Privacy-preserving masked language modelling: of the words of a block that identify nobody, a share
    is masked, other ones each time. All tokens of such a word are masked, and nothing else is predicted."""

    def __init__(self, mask_id, pad_id=0, share=0.15, seed=0):
        self.mask_id, self.pad_id, self.share, self.random = mask_id, pad_id, share, random.Random(seed)

    def __call__(self, batch):
        inputs, labels = [], []
        for b in batch:
            words = sorted({w for w in b["words"] if w is not None})
            chosen = set(self.random.sample(words, max(1, round(self.share * len(words)))))
            inputs.append([self.mask_id if w in chosen else i for i, w in zip(b["input_ids"], b["words"])])
            labels.append([i if w in chosen else IGNORED for i, w in zip(b["input_ids"], b["words"])])
        return _batch(inputs, labels, self.pad_id)


class FastTokenizer:
    """A tokenizer of the package `tokenizers`, called as those of `transformers` are."""

    def __init__(self, tokenizer, special=False):
        self.tokenizer, self.special = tokenizer, special

    def __call__(self, texts, return_offsets_mapping=True):
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=self.special)
        return {"input_ids": [e.ids for e in encoded], "offset_mapping": [e.offsets for e in encoded]}


def main(folder, tokenizer_json):
    """Makes the blocks of an export, and says how much of it a model learns."""
    import tokenizers

    data, tokenizer = load(folder), FastTokenizer(tokenizers.Tokenizer.from_file(tokenizer_json))
    tokens = learned = 0
    for part in data:
        rows = list(data[part])
        batch = CausalCollator()(list(blocks(rows, tokenizer)))
        tokens += int(batch["attention_mask"].sum())
        learned += int((batch["labels"] != IGNORED).sum())
        print(f"{part}: {len(rows)} calls in {len(batch['labels'])} blocks of at most {batch['labels'].shape[1]} tokens")
    print(f"{tokens} tokens, of which a causal model learns {learned}")
    assert 0 < learned < tokens


if __name__ == "__main__":
    main(*sys.argv[1:])
