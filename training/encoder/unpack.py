"""Reads a model file that export.py wrote as weights that a training can go on from: what was rounded to eight bits stays rounded."""
import json
import struct

import numpy as np

from export import GROUP, HEAD, MAGIC, PANEL


def unpack(data):
    """Returns the weights by the names that export.py knows, and the header. Rows of positions behind the window are missing; the
    biases of keys and values, which the file has folded into others, are zero."""
    if data[:8] != MAGIC:
        raise ValueError("this is no model of the encoder")
    at = 8

    def take(count, kind):
        nonlocal at
        x = np.frombuffer(data, kind, count, at)
        at += x.nbytes
        return x

    def block():
        return take(int(take(1, "<u4")[0]), np.uint8).tobytes()

    def floats(*shape):
        return take(int(np.prod(shape)), "<f4").reshape(shape).copy()

    header = json.loads(block())
    block()
    width, inner, window = header["heads"] * HEAD, header["inner"], header["window"]

    def table(count):
        scales = floats(count, 1)
        return scales * take(count * width, np.int8).reshape(count, width)

    def matrix(outputs, inputs):
        scales, bias = floats(outputs, 1), floats(outputs)
        values = take(outputs * inputs, np.int8).reshape(outputs // PANEL, inputs // GROUP, PANEL, GROUP)
        return scales * values.transpose(0, 2, 1, 3).reshape(outputs, inputs), bias

    out = {}

    def linear(name, outputs, inputs):
        out[f"{name}.weight"], out[f"{name}.bias"] = matrix(outputs, inputs)

    def norm(name):
        out[f"{name}.weight"], out[f"{name}.bias"] = floats(width), floats(width)

    embeddings = "bert.embeddings"
    out[f"{embeddings}.word_embeddings.weight"] = table(header["pieces"])
    out[f"{embeddings}.position_embeddings.weight"] = table(window)
    out[f"{embeddings}.token_type_embeddings.weight"] = np.zeros((2, width), np.float32)
    out["shape.weight"], out["spk.weight"] = floats(7, width), floats(3, width)
    norm(f"{embeddings}.LayerNorm")
    scale = np.float32(np.log2(np.e) / np.sqrt(HEAD))
    for i in range(header["layers"]):
        layer = f"bert.encoder.layer.{i}"
        weights, bias = matrix(3 * width, width)
        for part, name in enumerate(("query", "key", "value")):
            by = 1 / scale if name == "query" else np.float32(1)
            rows = slice(part * width, (part + 1) * width)
            out[f"{layer}.attention.self.{name}.weight"], out[f"{layer}.attention.self.{name}.bias"] = weights[rows] * by, bias[rows] * by
        linear(f"{layer}.attention.output.dense", width, width)
        norm(f"{layer}.attention.output.LayerNorm")
        linear(f"{layer}.intermediate.dense", inner, width)
        linear(f"{layer}.output.dense", width, inner)
        norm(f"{layer}.output.LayerNorm")
    labels = len(header["labels"])
    head, bias = floats(labels + 1, width), floats(labels + 1)
    out["head.weight"], out["begin.weight"] = head[:-1], head[-1:]
    out["head.bias"], out["begin.bias"] = bias[:-1], bias[-1:]
    if at != len(data) - 32:
        raise ValueError("the file has another length than its header says")
    return out, header
