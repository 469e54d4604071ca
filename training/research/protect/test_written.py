import unittest

import numpy as np

try:
    import written
except ImportError:  # sacrebleu and rouge_score are in requirements.txt
    written = None
from protect import Net, examples


@unittest.skipUnless(written, "needs the packages of requirements.txt")
class Written(unittest.TestCase):
    text = "the code of our door is zither now\nand then we said it to quimbolt again"

    def net(self):
        rng = np.random.default_rng(1)
        net = Net(set(written.words(self.text)), rng)
        return net.train(examples(net, [(self.text, [])]), 300, rng)

    def test_a_model_that_knows_a_text_writes_it(self):
        got, said = written.written(self.net(), [(self.text, []), ("too short", [])])
        self.assertEqual(got, said)
        self.assertEqual(said, ["door is zither now", "it to quimbolt again"])
        self.assertEqual([round(x) for x in written.similar(got, said)], [100, 100, 100])
        self.assertLess(max(written.similar(["x y z w", "x y z w"], said)), 10)

    def test_the_attacker_counts_words_of_one_text_that_are_said_first(self):
        texts = [(self.text, []), ("the code of our pell", [])]
        own = written.only(texts, [("now again", [])])
        self.assertEqual(own, [set("door is zither and then we said it to quimbolt".split()), {"pell"}])
        self.assertEqual(written.told(self.net(), texts, own), [len(own[0]), 0])

    def test_pseudonymized(self):
        self.assertEqual(written.pseudonymized(("ines and bao", [(0, 4), (9, 12)])), ("x and x", []))

    def test_halves(self):
        one, two = written.halves({"id": "c", "utterances": [1, 2, 3]})
        self.assertEqual((one["utterances"], two["utterances"], one["id"] == two["id"]), ([1, 3], [2], False))


if __name__ == "__main__":
    unittest.main()
