import math
import unittest

import numpy as np

try:
    import recovered
except ImportError:  # scikit-learn is in requirements.txt
    recovered = None
import report


def call(call_id, *turns):
    speakers = "agent", "customer"
    return {"id": call_id, "utterances": [{"speaker": speakers[i % 2], "text": t} for i, t in enumerate(turns)]}


@unittest.skipUnless(recovered, "needs the packages of requirements.txt")
class Recovered(unittest.TestCase):
    vocabulary = {*"i live in dale york now".split(), "[mask]"}

    def net(self, kind, *turns, unlearned=(), passes=200):
        net = kind(self.vocabulary, np.random.default_rng(0))
        return net.train(list(recovered.examples(net, [call("c", *turns)], unlearned)), passes, np.random.default_rng(0))

    def test_a_mask_without_weight_is_not_learned(self):
        said = lambda net: net.words[net.forward(np.array([[net.ids[w] for w in ("i", "live", "in")]]))[2][0].argmax()]
        turns = ["i live in [MASK] now"] * 3
        self.assertEqual(said(self.net(recovered.Net, *turns)), "[mask]")
        self.assertNotEqual(said(self.net(recovered.Net, *turns, unlearned=("[MASK]",))), "[mask]")

    def test_perplexity_leaves_out_what_is_unknown(self):
        net = recovered.Net(self.vocabulary, np.random.default_rng(0))
        net.p = [np.zeros_like(x) for x in net.p]
        self.assertAlmostEqual(recovered.perplexity(net, [call("c", "i live in zither")]), len(net.words), places=3)
        known, unknown = self.net(recovered.Net, "i live in dale now"), [call("c", "i live in dale now")]
        self.assertLess(recovered.perplexity(known, unknown), 1.5)
        self.assertGreater(recovered.perplexity(known, [call("c", "now now york")]), 10)

    def test_the_network_fills_from_both_sides(self):
        net = self.net(recovered.Masked, *["i live in dale now"] * 20, *["i live in york"] * 20)
        filler = recovered.Network(net)
        self.assertEqual(filler.fill("I live in ", " now", 1), ["dale"])
        self.assertEqual(filler.fill("I live in ", "", 1), ["york"])
        self.assertFalse({"[mask]", "<mask>", "<s>"} & {*filler.fill("I live in ", " now", 6)})

    def test_speaker(self):
        calls = [call(str(i), "thank you for calling how may i help", "my bill is wrong") for i in range(4)]
        self.assertEqual(recovered.speaker(calls, calls[:1]), 100)
        self.assertLess(recovered.speaker(calls, [call("c", "my bill is wrong", "how may i help")]), 50)

    def test_removed(self):
        self.assertEqual(recovered.without_masks(call("c", "in [MASK] now"))["utterances"][0]["text"].split(), ["in", "now"])


class Report(unittest.TestCase):
    found = {("", "no adaptation"): [[9.0, None], [9.0, None]], ("", "raw"): [[5.0, 80.0], [7.0, 82.0]],
             ("entity", "masks learned"): [[8.0, 70.0], [8.0, 74.0]]}

    def test_tables(self):
        lines = list(report.tables(self.found, ["entity"]))
        self.assertIn(f"| raw | 6.0 ± {math.sqrt(2):.1f} |", lines)
        self.assertIn("| masks learned | 72.0 ± 2.8 |", lines)
        self.assertIn("| no adaptation | 9.0 ± 0.0 | - |", lines)

    def test_svg(self):
        self.assertIn(">entity: masks learned</text>", report.svg(self.found, ["entity"]))


if __name__ == "__main__":
    unittest.main()
