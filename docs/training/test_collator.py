"""Tests the batches with a tokenizer that has special tokens: python -m unittest."""

import pathlib
import unittest

import numpy as np
import tokenizers
from tokenizers.processors import TemplateProcessing

import collator
from collator import IGNORED, CausalCollator, FastTokenizer, MaskedCollator, blocks

HERE = pathlib.Path(__file__).parent
TURN = "agent: Hello [PERSON_NAME_1], it isn't the Quimbolt zitherplayer's [MASK] refrigerator; [SEP] 😀 yes."
MASK_ID = 4


def row(text, *identifying):
    at = [(text.index(w), text.index(w) + len(w)) for w in identifying]
    spans = [{"start": a, "end": b} for a, b in at]
    return {"text": text, "entities": spans[:1], "indirect": spans[1:]}


def bert(special=True):
    t = tokenizers.Tokenizer.from_file(str(HERE / "wordpiece.json"))
    names = ["[CLS]", "[SEP]"]
    t.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[(n, t.token_to_id(n)) for n in names])
    return t, FastTokenizer(t, special), sorted(t.get_added_tokens_decoder())


class Batches(unittest.TestCase):
    def setUp(self):
        self.tokenizer, self.call, self.special = bert()
        self.text = "\n".join(f"{TURN} {n} plus {n + 1}" for n in range(60))
        self.blocks = list(blocks([row(self.text, "[PERSON_NAME_1]", "Quimbolt")], self.call, 128, self.special))

    def test_blocks(self):
        text = []
        for b in self.blocks:
            names = [self.tokenizer.id_to_token(i) for i in b["input_ids"]]
            self.assertEqual((names[0], names[-1]), ("[CLS]", "[SEP]"))
            self.assertTrue(64 < len(names) <= 128 or b is self.blocks[-1])
            self.assertFalse(names[1].startswith("##"), "a word is divided between blocks")
            text += b["input_ids"][1:-1]
        self.assertEqual(text, self.tokenizer.encode(self.text, add_special_tokens=False).ids)

    def test_no_special_token_is_masked_or_predicted(self):
        for seed in range(20):
            batch = MaskedCollator(MASK_ID, seed=seed)(self.blocks)
            whole = CausalCollator()(self.blocks)["input_ids"]
            is_special = np.isin(whole, self.special)
            self.assertTrue((batch["labels"][is_special] == IGNORED).all())
            self.assertTrue((batch["input_ids"][is_special] == whole[is_special]).all())
            self.assertTrue((batch["labels"][batch["attention_mask"] == 0] == IGNORED).all())

    def test_words_are_masked_as_a_whole(self):
        pieces = 0
        for seed in range(20):
            masked = MaskedCollator(MASK_ID, seed=seed)(self.blocks)["labels"] != IGNORED
            for b, chosen in zip(self.blocks, masked):
                names = [self.tokenizer.id_to_token(i) for i in b["input_ids"]]
                for i, name in enumerate(names):
                    if name.startswith("##"):
                        self.assertEqual(chosen[i], chosen[i - 1], "a word is masked in part")
                        pieces += int(chosen[i])
                words = {w for w in b["words"] if w is not None}
                self.assertEqual(len({w for w, c in zip(b["words"], chosen) if c}), max(1, round(0.15 * len(words))))
        self.assertGreater(pieces, 100, "no word of several tokens was masked")

    def test_identifiers_are_never_predicted(self):
        # Of a word of which a part identifies somebody, the rest is not predicted either.
        [b] = blocks([row(TURN, "[PERSON_NAME_1]", "Quimbolt", "zitherplay")], self.call, 512, self.special)
        names = [self.tokenizer.id_to_token(i) for i in b["input_ids"]]
        hidden = [label == IGNORED for label in b["labels"]]
        self.assertEqual("".join(n.removeprefix("##") for n, h in zip(names, hidden) if h), "[person_name_1]quimboltzitherplay")
        rest = max(i for i, h in enumerate(hidden) if h) + 1
        self.assertTrue(names[rest].startswith("##"))
        for seed in range(200):
            batch = MaskedCollator(MASK_ID, share=0.5, seed=seed)([b])
            self.assertTrue((batch["labels"][0, hidden] == IGNORED).all())
            self.assertEqual(list(batch["input_ids"][0, hidden]), [i for i, h in zip(b["input_ids"], hidden) if h])
            self.assertEqual(batch["labels"][0, rest], IGNORED, "a word is masked in part")

    def test_each_epoch_masks_other_words(self):
        collate = MaskedCollator(MASK_ID)
        first, second = collate(self.blocks)["labels"], collate(self.blocks)["labels"]
        self.assertFalse((first == second).all())
        self.assertTrue((first == MaskedCollator(MASK_ID)(self.blocks)["labels"]).all())

    def test_byte_level_tokens_and_long_words(self):
        t = FastTokenizer(tokenizers.Tokenizer.from_file(str(HERE / "tokenizer.json")))
        text = "it isn't 日本 " + "qzx" * 50 + " so"
        ids, offsets = (x[0] for x in t([text]).values())
        words = collator.words_of(text, offsets)
        self.assertEqual(len(set(words) - {None}), 5)
        found = list(blocks([{"text": text, "entities": [], "indirect": []}], t, 16))
        self.assertTrue(all(len(b["input_ids"]) <= 16 for b in found))
        maskable = [i for b in found for i, w in zip(b["input_ids"], b["words"]) if w is not None]
        self.assertEqual(maskable, [i for i, w in zip(ids, words) if w in (0, 1, 2, 4)])


if __name__ == "__main__":
    unittest.main()
