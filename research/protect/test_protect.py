import unittest

import numpy as np
import protect
from protect import Net, epsilon, weights

TEXT = "the code is zither\nthe code was quimbolt"


class Protect(unittest.TestCase):
    def net(self):
        return Net({"the", "code", "is", "was", "zither", "quimbolt"}, np.random.default_rng(1))

    def test_the_gradient_is_that_of_the_loss(self):
        net = self.net()
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

    def test_what_identifies_has_no_weight(self):
        call = ("Zoë said the odd thing", [(0, 3)])
        places = [(m.start(), m.end()) for m in protect.WORD.finditer(call[0])]
        listed = {"odd thing", "the"}
        self.assertEqual(weights(call, places, listed, True, 1).tolist(), [0, 1, 0, 1, 1])
        self.assertEqual(weights(call, places, listed, False, 2).tolist(), [1, 1, 0, 0, 0])

    def test_calls_are_clipped(self):
        net, moved = self.net(), []
        net.step = lambda gradient: moved.append(sum(float((g * g).sum()) for g in gradient) ** 0.5)
        contexts, following, _ = net.encode(TEXT)
        steps = net.train_privately([(contexts, following, np.full(len(following), 1000, np.float32))], 2, np.random.default_rng(0), 0, share=1, clip=0.5)
        self.assertEqual((steps, [round(x, 4) for x in moved]), (2, [0.5, 0.5]))

    def test_epsilon(self):
        before, protect.DELTA = protect.DELTA, 1e-5
        self.addCleanup(setattr, protect, "DELTA", before)
        # The example of the tutorial of TensorFlow Privacy.
        self.assertAlmostEqual(epsilon(1.3, 250 / 60000, 15 * 240), 1.18, places=2)


if __name__ == "__main__":
    unittest.main()
