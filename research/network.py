"""Writes networks as detectors/ner/internal/network reads them: compressed by zlib, numbers of fixed point."""
import struct
import zlib

import numpy as np

ACTIVATION_BITS, WEIGHT_BITS = 8, 10


def write(path, words, tables, bias, layers, last):
    """words are the sorted hashes of those that the first table knows, tables the vectors of each fact, layers the
    dilated convolutions of three words, last the linear layer that gives the kinds."""
    width = len(bias)
    out = [struct.pack("<III", width, len(layers), len(words)), struct.pack(f"<{len(layers)}I", *(c.dilation[0] for c in layers))]
    out.append(np.diff(np.concatenate([[0], words.astype(np.uint32)])).astype("<u4").tobytes())
    shifts, rows = [], []
    for t in tables:
        w = numbers(t) * (1 << ACTIVATION_BITS)
        shift = 0
        while np.abs(w).max() / (1 << shift) > 127:
            shift += 1
        shifts.append(shift)
        rows.append(np.clip(np.round(w / (1 << shift)), -127, 127).astype(np.int8))
    out.append(bytes(shifts))
    out.append(np.concatenate(rows).tobytes())
    out.append(np.round(numbers(bias) * (1 << ACTIVATION_BITS)).astype("<i2").tobytes())
    for c in layers:
        out += weights(numbers(c.weight).transpose(0, 2, 1), c.bias)  # out, place, in
    out += weights(numbers(last.weight), last.bias)
    with open(path, "wb") as f:
        f.write(zlib.compress(b"".join(out), 9))


def numbers(tensor):
    return tensor.detach().cpu().numpy()


def weights(w, bias):
    yield np.clip(np.round(w * (1 << WEIGHT_BITS)), -32767, 32767).astype("<i2").tobytes()
    yield np.round(numbers(bias) * (1 << (ACTIVATION_BITS + WEIGHT_BITS))).astype("<i4").tobytes()
