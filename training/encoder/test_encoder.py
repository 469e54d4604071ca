"""Run with: python3 -m unittest (in this folder). What needs numpy is left out where there is none."""
import hashlib
import json
import struct
import unittest

import vocabulary

try:
    import numpy as np
    import export
    import unpack
except ImportError:
    np = None

PIECES = ["[PAD]", "[unused0]", "[UNK]", "[SEP]", "a", "##a", "é", "the", "call", "звон", "##ing", "claim"]


class Keep(unittest.TestCase):
    def names(self, counts, size):
        kept = vocabulary.keep(PIECES, counts, size)
        self.assertEqual(kept, sorted(kept))
        return [PIECES[n] for n in kept]

    def test_single_characters_and_special_pieces_stay(self):
        self.assertEqual(self.names({}, 6), ["[PAD]", "[UNK]", "[SEP]", "a", "##a", "é"])
        with self.assertRaises(ValueError):
            vocabulary.keep(PIECES, {}, 5)

    def test_what_the_corpus_has_comes_first(self):
        counts = {PIECES.index("claim"): 5, PIECES.index("##ing"): 7}
        self.assertEqual(self.names(counts, 7)[6:], ["##ing"])
        self.assertEqual(self.names(counts, 8)[6:], ["##ing", "claim"])

    def test_unused_places_go_first(self):
        self.assertEqual(set(PIECES) - set(self.names({}, 11)), {"[unused0]"})
        self.assertEqual(set(PIECES) - set(self.names({}, 10)), {"[unused0]", "звон"})

    def test_pruned(self):
        self.assertEqual(vocabulary.pruned(PIECES, [0, 2, 7]), ["[PAD]", "[UNK]", "the"])


@unittest.skipUnless(np, "numpy is not installed")
class Export(unittest.TestCase):
    def setUp(self):
        r = np.random.default_rng(1)
        w, inner = 64, 32
        self.weights = {"bert.embeddings.word_embeddings.weight": r.normal(size=(len(PIECES), w)),
                        "bert.embeddings.position_embeddings.weight": r.normal(size=(64, w)),
                        "bert.embeddings.token_type_embeddings.weight": r.normal(size=(2, w)),
                        "shape.weight": r.normal(size=(7, w)), "spk.weight": r.normal(size=(3, w)),
                        "head.weight": r.normal(size=(2, w)), "head.bias": r.normal(size=2),
                        "begin.weight": r.normal(size=(1, w)), "begin.bias": r.normal(size=1)}
        def linear(name, outputs, inputs):
            self.weights[f"{name}.weight"], self.weights[f"{name}.bias"] = r.normal(size=(outputs, inputs)), r.normal(size=outputs)
        def norm(name):
            self.weights[f"{name}.weight"], self.weights[f"{name}.bias"] = r.normal(size=w), r.normal(size=w)
        layer = "bert.encoder.layer.0"
        for x in "query", "key", "value":
            linear(f"{layer}.attention.self.{x}", w, w)
        linear(f"{layer}.attention.output.dense", w, w)
        linear(f"{layer}.intermediate.dense", inner, w)
        linear(f"{layer}.output.dense", w, inner)
        for name in "bert.embeddings.LayerNorm", f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm":
            norm(name)

    def test_file(self):
        data = export.export(self.weights, PIECES, ["O", "NAME"], ["O"], window=32)
        self.assertEqual(data[:8], b"SOTTOENC")
        self.assertEqual(data[-32:], hashlib.sha256(data[:-32]).digest())
        n = struct.unpack("<I", data[8:12])[0]
        header = json.loads(data[12:12 + n])
        self.assertEqual(header, dict(layers=1, heads=2, inner=32, window=32, pieces=12, labels=["O", "NAME"], masked=[False, True]))

    def test_file_is_read_again(self):
        data = export.export(self.weights, PIECES, ["O", "NAME"], ["O"], window=32)
        weights, header = unpack.unpack(data)
        self.assertEqual((header["labels"], header["window"]), (["O", "NAME"], 32))
        for name in ("shape.weight", "head.bias", "begin.weight", "bert.encoder.layer.0.output.LayerNorm.bias", "bert.encoder.layer.0.intermediate.dense.bias"):
            np.testing.assert_array_equal(weights[name], self.weights[name].astype(np.float32))
        for name, x in weights.items():
            if name.endswith("dense.weight") or ".self." in name and name.endswith("weight") or "word" in name:
                step = np.abs(self.weights[name]).max(1, keepdims=True) / 127
                self.assertTrue((np.abs(x - self.weights[name]) <= 0.51 * step).all(), name)
        again = export.export(weights, PIECES, ["O", "NAME"], ["O"], window=32)
        rest, _ = unpack.unpack(again)
        for name, x in weights.items():
            np.testing.assert_allclose(rest[name], x, rtol=1e-5, atol=1e-6, err_msg=name)
        for broken in (data[:-1], b"x" + data[1:], data[:len(data) // 2]):
            with self.assertRaises(ValueError):
                unpack.unpack(broken)

    def test_order_of_a_matrix(self):
        values = np.arange(32 * 16).reshape(32, 16)
        flat = export.packed(values).ravel()
        for row, column in ((0, 0), (5, 3), (15, 31), (4, 16)):
            at = column // 16 * 16 * 16 + row // 4 * 64 + column % 16 * 4 + row % 4
            self.assertEqual(flat[at], values[column, row])

    def test_rows_are_rounded(self):
        scales, values = export.rows(np.array([[1.0, -2.0, 0.5], [0, 0, 0]]))
        self.assertEqual(values.tolist(), [[64, -127, 32], [0, 0, 0]])
        self.assertAlmostEqual(float(scales[0]), 2 / 127)

    def test_refused(self):
        for name, value in (("shape.weight", np.full((7, 64), np.inf)), ("head.bias", np.full(2, 1e5))):
            with self.assertRaises(ValueError):
                export.export(self.weights | {name: value}, PIECES, ["O", "NAME"], ["O"], window=32)
        with self.assertRaises(ValueError):
            export.export(self.weights, PIECES[1:], ["O", "NAME"], ["O"], window=32)
        with self.assertRaises(ValueError):
            export.export(self.weights, PIECES, ["O"], ["O"], window=32)


if __name__ == "__main__":
    unittest.main()
