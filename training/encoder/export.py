"""Writes a trained encoder as the file that package detectors/encoder reads; docs/encoder.md describes it.

usage: export.py --weights NET.safetensors --vocabulary vocab.txt --labels O,PERSON,... --unmasked O,... --out encoder.model
The weights have the names of transformers' BertModel, with or without "bert." before them, and "shape", "spk", "head" and, if it was trained,
"begin". The vocabulary is that of the training, a piece in each line. Needs numpy and safetensors.
"""
import argparse
import hashlib
import json
import struct

import numpy as np

from vocabulary import read

MAGIC = b"SOTTOENC"
HEAD = 32  # numbers of a head of attention
PANEL, GROUP = 16, 4  # columns and rows that stand together in a matrix, as package kernel needs them


def rows(table):
    """Returns the scales of the rows of a table, and the rows as integers from -127 to 127."""
    table = table.astype(np.float32)
    scales = (np.abs(table).max(1) / 127).astype(np.float32)
    steps = np.where(scales > 0, scales, 1)[:, None]
    return scales, np.clip(np.rint(table / steps), -127, 127).astype(np.int8)


def packed(values):
    """Returns a matrix (outputs x inputs) in the order that kernel.Columns describes."""
    outputs, inputs = values.shape
    return values.reshape(outputs // PANEL, PANEL, inputs // GROUP, GROUP).transpose(0, 2, 1, 3)


class Writer:
    def __init__(self):
        self.parts = []

    def block(self, data):
        self.parts += [struct.pack("<I", len(data)), data]

    def floats(self, x):
        x = np.ascontiguousarray(x, dtype="<f4")
        if not np.isfinite(x).all() or np.abs(x).max() >= 1e4:
            raise ValueError("the weights have a number that is infinite or too large")
        self.parts.append(x.tobytes())

    def table(self, x):
        scales, values = rows(x)
        self.floats(scales)
        self.parts.append(values.tobytes())

    def matrix(self, weights, bias):
        scales, values = rows(weights)
        self.floats(scales)
        self.floats(bias)
        self.parts.append(np.ascontiguousarray(packed(values)).tobytes())


def layer(out, get, name):
    """Writes a layer. What is the same for every number of a sum is moved to where it costs nothing."""
    query, key, value = (get(f"{name}.attention.self.{x}.weight") for x in ("query", "key", "value"))
    # Scores are logarithms to base 2, divided by the root of the width of a head.
    scale = np.log2(np.e) / np.sqrt(HEAD)
    none = np.zeros(len(key))
    # A bias of keys adds the same to all scores of a query. One of values goes through the weights, which add up to
    # one, and so to the bias behind them.
    bias = np.concatenate([get(f"{name}.attention.self.query.bias") * scale, none, none])
    out.matrix(np.concatenate([query * scale, key, value]), bias)
    attention = get(f"{name}.attention.output.dense.weight")
    out.matrix(attention, get(f"{name}.attention.output.dense.bias") + attention @ get(f"{name}.attention.self.value.bias"))
    norm(out, get, f"{name}.attention.output.LayerNorm")
    out.matrix(get(f"{name}.intermediate.dense.weight"), get(f"{name}.intermediate.dense.bias"))
    out.matrix(get(f"{name}.output.dense.weight"), get(f"{name}.output.dense.bias"))
    norm(out, get, f"{name}.output.LayerNorm")


def norm(out, get, name):
    out.floats(get(f"{name}.weight"))
    out.floats(get(f"{name}.bias"))


def export(weights, pieces, labels, unmasked, window=256):
    """Returns the file of a model as bytes.

    weights: arrays by name (numpy, or anything that numpy reads). pieces: the vocabulary in the order of the rows of the
    word embeddings. labels: names in the order of the head's rows. unmasked: labels whose words are not personal.
    """
    weights = {name.removeprefix("bert."): x for name, x in weights.items()}

    def get(name):
        return np.asarray(weights[name], dtype=np.float64)

    words = get("embeddings.word_embeddings.weight")
    if len(words) != len(pieces):
        raise ValueError(f"{len(words)} rows of word embeddings, and {len(pieces)} pieces")
    layers = 1 + max(int(n.split(".")[2]) for n in weights if n.startswith("encoder.layer."))
    heads, rest = divmod(words.shape[1], HEAD)
    inner = len(get("encoder.layer.0.intermediate.dense.bias"))
    if rest:
        raise ValueError(f"a width of {words.shape[1]} does not divide into heads of {HEAD}")
    header = dict(layers=layers, heads=heads, inner=inner, window=window, pieces=len(pieces), labels=list(labels),
                  masked=[x not in unmasked for x in labels])
    out = Writer()
    out.parts.append(MAGIC)
    out.block(json.dumps(header, separators=(",", ":")).encode())
    out.block("\n".join(pieces).encode())
    out.table(words)
    out.table(get("embeddings.position_embeddings.weight")[:window] + get("embeddings.token_type_embeddings.weight")[0])
    out.floats(get("shape.weight"))
    out.floats(get("spk.weight"))
    norm(out, get, "embeddings.LayerNorm")
    for i in range(layers):
        layer(out, get, f"encoder.layer.{i}")
    head, bias = get("head.weight"), get("head.bias")
    if "begin.weight" in weights:
        head, bias = np.concatenate([head, get("begin.weight")]), np.concatenate([bias, get("begin.bias")])
    if len(head) != len(labels) + 1:
        raise ValueError(f"the head has {len(head)} outputs; it needs one for each of {len(labels)} labels and one for the beginning of a value")
    out.floats(head)
    out.floats(bias)
    body = b"".join(out.parts)
    return body + hashlib.sha256(body).digest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--vocabulary", required=True)
    parser.add_argument("--labels", required=True)
    parser.add_argument("--unmasked", required=True)
    parser.add_argument("--window", type=int, default=256)
    parser.add_argument("--out", required=True)
    a = parser.parse_args()
    from safetensors.numpy import load_file
    data = export(load_file(a.weights), read(a.vocabulary), a.labels.split(","), a.unmasked.split(","), a.window)
    with open(a.out, "wb") as f:
        f.write(data)
    print(f"{a.out}: {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
