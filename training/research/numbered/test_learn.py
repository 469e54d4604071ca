import os
import pathlib
import random
import tempfile
import unittest
from unittest import mock

try:
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    import learn
except ImportError:
    learn = None
import scores
import treat

NAMES = ["ines", "bao", "orla", "pell", "tam", "wynn"]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", ":", "hi", "pay", "book", "please", "it", "is", *NAMES]


def calls():
    """Calls in which one of two names is said again: whoever compares names can tell which, and the first words tell the purpose."""
    drawn = random.Random(1)
    for n in range(160):
        part = "train" if n < 120 else "test"
        one, two = drawn.sample(NAMES, 2)
        again = drawn.choice([one, two])
        turns = [f"it is {one}", f"hi {two}", f"please {again}"]
        places = [[0, 6, 6 + len(one), "p1"], [1, 3, 3 + len(two), "p2"], [2, 7, 7 + len(again), "p1" if again == one else "p2"]]
        yield {"id": f"m{n}", "part": part, "marks": {"id": f"m{n}", "speakers": {}, "mentions": places},
               "utterances": [{"speaker": "ab"[i % 2], "text": text} for i, text in enumerate(turns)]}
        does = drawn.choice(["pay", "book"])
        yield {"id": f"s{n}", "part": part, "utterances": [
            {"speaker": "a", "text": text, "intent": intent} for text, intent in (("hi", "openinggreeting"), (f"please {does}", does), ("hi", "thankyou"))]}


@unittest.skipUnless(learn, "needs PyTorch and transformers")
class Learning(unittest.TestCase):
    def test_learns_and_goes_on(self):
        torch.manual_seed(0)
        with tempfile.TemporaryDirectory() as d:
            folder, work = pathlib.Path(d), pathlib.Path(d) / "work"
            work.mkdir()
            (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
            BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(d)
            BertModel(BertConfig(vocab_size=len(WORDS), hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
                                 max_position_embeddings=64, hidden_dropout_prob=0, attention_probs_dropout_prob=0)).save_pretrained(d)
            made = list(calls())
            treat.write(work / "calls.jsonl", made)
            for t in treat.TREATMENTS:
                treat.write(work / f"{t}.jsonl", ({"id": c["id"], "turns": [[u["speaker"], u["text"], []] for u in c["utterances"]]} for c in made))
            args = ["learn.py", "--model", d, "--work", str(work), "--passes", "12", "--layers", "1", "--seeds", "1", "--threads", "1"]
            with mock.patch.object(os.sys, "argv", args), mock.patch("builtins.print"):
                learn.main()
            lines = treat.read(work / "results.jsonl")
            self.assertEqual([x["treatment"] for x in lines], list(treat.TREATMENTS))
            self.assertEqual(set(lines[0]["raw"]), set(scores.TASKS))
            self.assertGreater(lines[0]["raw"]["purpose"], 95)
            self.assertGreater(lines[0]["raw"]["same"], 90)
            self.assertEqual(lines[0]["raw"], lines[2]["alike"])  # the same texts and seed: nothing is left of the run before
            # What was interrupted goes on: the first runs stay, the missing one comes again and is the same.
            kept = (work / "results.jsonl").read_text().splitlines(keepends=True)
            (work / "results.jsonl").write_text("".join(kept[:4]))
            with mock.patch.object(os.sys, "argv", args), mock.patch("builtins.print"):
                learn.main()
            again = treat.read(work / "results.jsonl")
            self.assertEqual([{**x, "seconds": 0} for x in again], [{**x, "seconds": 0} for x in lines])
            with mock.patch.object(os.sys, "argv", [*args[:-6], "--layers", "2"]), mock.patch("builtins.print"), self.assertRaisesRegex(SystemExit, "other settings"):
                learn.main()


if __name__ == "__main__":
    unittest.main()
