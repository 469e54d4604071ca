import pathlib
import tempfile
import unittest
from unittest import mock

import numpy as np
import protect
from protect import BEGIN, END, MASK, Data, Masked, Net, epsilon, examples, weights

SOTTO = pathlib.Path(__file__).parents[3] / "bin" / "sotto"

TEXT = "the code is zither\nthe code was quimbolt"


def masked_passes():
    """Of 100 passes in which half of four words are masked: the words that are predicted, those that are masked around
    them, and those of the former that stand around each other."""
    text = "my code is zither\nnow our word quimbolt"  # each word once, so that it tells its place
    net, passes = Masked({m[0] for m in protect.WORD.finditer(text)}, np.random.default_rng(1)), []
    net.share = 0.5
    data = examples(net, [(text, [(11, 17)])], {"our word", "quimbolt"}, True, 2)  # zither has a label
    around = dict(zip(data[0][1], data[0][0]))

    def record(shown, predicted, _):
        rows = np.array([around[w] for w in predicted])
        found = predicted, rows[shown == net.ids[MASK]], rows[np.isin(rows, predicted)]
        passes.append([{net.words[w] for w in words} for words in found])

    net.gradient, net.step = record, lambda gradient: None
    net.train(data, 100, np.random.default_rng(0))
    return passes


class Protect(unittest.TestCase):
    def net(self, kind=Net):
        return kind({"the", "code", "is", "was", "zither", "quimbolt"}, np.random.default_rng(1))

    def test_the_gradient_is_that_of_the_loss(self):
        for kind in Net, Masked:
            with self.subTest(kind.name):
                self.check_gradient(self.net(kind))

    def check_gradient(self, net):
        net.p = [x.astype(np.float64) for x in net.p]
        contexts, following, _ = net.encode(TEXT)
        w = np.linspace(0, 1, len(following))
        loss = lambda: -(w * np.log(net.forward(contexts)[2][np.arange(len(following)), following])).sum()
        for x, g in zip(net.p, net.gradient(contexts, following, w)):
            at = np.unravel_index(np.argmax(np.abs(g)), g.shape)
            before = x[at]
            x[at] = before + 1e-5
            up = loss()
            x[at] = before - 1e-5
            self.assertAlmostEqual((up - loss()) / 2e-5, g[at], places=6)
            x[at] = before

    def test_a_word_without_weight_is_not_learned(self):
        for weight in 1, 0:
            net = self.net()
            contexts, following, _ = net.encode(TEXT)
            w = np.where(following == net.ids["zither"], weight, 1).astype(np.float32)
            net.train([(contexts, following, w)], 200, np.random.default_rng(0))
            self.assertEqual("zither" in net.write("the code is", 1), bool(weight))
            self.assertEqual([t.same for t in net.read(TEXT)][3], bool(weight))

    def test_a_masked_model_sees_both_sides_of_a_word_in_its_line(self):
        net = self.net(Masked)
        contexts, words, places = net.encode(TEXT)
        self.assertEqual((net.words[words[2]], places[4]), ("is", None))
        before, after = [net.words[i] for i in contexts[2][:3]], [net.words[i] for i in contexts[2][3:]]
        self.assertEqual((before, after), ([BEGIN, "the", "code"], ["zither", END, END]))

    def test_an_excluded_word_is_never_masked_nor_predicted(self):
        predicted, masked, _ = (set.union(*sets) for sets in zip(*masked_passes()))
        self.assertEqual(predicted, {"my", "code", "is", "now"})
        self.assertEqual(masked, {"my", "code", "is"})  # now is alone in its line

    def test_other_words_are_masked_in_each_pass(self):
        passes = masked_passes()
        self.assertEqual(len({frozenset(predicted) for predicted, _, _ in passes}), 6)  # all pairs of the four
        for predicted, masked, near in passes:
            self.assertEqual(len(predicted), 2)
            self.assertEqual(masked, near)

    def test_a_masked_word_without_weight_is_not_learned(self):
        for weight in 1, 0:
            net = self.net(Masked)
            contexts, following, _ = net.encode(TEXT)
            w = np.where(following == net.ids["zither"], weight, following != net.ids[END]).astype(np.float32)
            net.train([(contexts, following, w)], 500, np.random.default_rng(0))
            self.assertEqual([t.same for t in net.read(TEXT)], [True] * 3 + [bool(weight)] + [True] * 4)

    def test_what_identifies_has_no_weight(self):
        call = ("Zoë said the odd thing", [(0, 3)])
        places = [(m.start(), m.end()) for m in protect.WORD.finditer(call[0])]
        listed = {"odd thing", "the"}
        self.assertEqual(weights(call, places, listed, True, 1).tolist(), [0, 1, 0, 1, 1])
        self.assertEqual(weights(call, places, listed, False, 2).tolist(), [1, 1, 0, 0, 0])
        self.assertEqual(weights(call, [*places, None], ends=0).tolist(), [1, 1, 1, 1, 1, 0])

    def test_calls_are_clipped(self):
        net, moved = self.net(), []
        net.step = lambda gradient: moved.append(sum(float((g * g).sum()) for g in gradient) ** 0.5)
        contexts, following, _ = net.encode(TEXT)
        steps = net.train_privately([(contexts, following, np.full(len(following), 1000, np.float32))], 2, np.random.default_rng(0), 0, share=1, clip=0.5)
        self.assertEqual((steps, [round(x, 4) for x in moved]), (2, [0.5, 0.5]))

    def test_a_model_is_audited(self):
        with tempfile.TemporaryDirectory() as d, mock.patch.multiple(protect, GENERIC=1, PRIVATE=1):
            call = "### id=A%d context=sales\nAGENT: the locker word is {{PERSON_NAME|name%d}}\n"
            path = pathlib.Path(d) / "calls.txt"
            path.write_text("\n".join(call % (i, i) for i in range(3)))
            data = Data(SOTTO, d, [path])
            net = Net({w for c in data.private for w in c[0].split()}, np.random.default_rng(0))
            before, learned = data.audit(net), data.audit(net.train(examples(net, data.private), 200, np.random.default_rng(0)))
        self.assertEqual((before["identifiers"], before["privacy"], learned["privacy"], learned["identifying_1_grams"]), (1, 1, 0, 1))

    def test_epsilon(self):
        before, protect.DELTA = protect.DELTA, 1e-5
        self.addCleanup(setattr, protect, "DELTA", before)
        # The example of the tutorial of TensorFlow Privacy.
        self.assertAlmostEqual(epsilon(1.3, 250 / 60000, 15 * 240), 1.18, places=2)


if __name__ == "__main__":
    unittest.main()
