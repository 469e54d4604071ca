import json
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import items
import scores
import treat
from report import svg, table

MARKS = {"id": "c1", "speakers": {"AGENT": "p1", "CUSTOMER": "p2"}, "mentions": [
    [0, 8, 12, "p1"], [1, 3, 7, "p1"], [1, 15, 18, "p2"], [2, 10, 14, "p3"], [2, 20, 24, "?"]]}
CALL = {"id": "c1", "part": "train", "marks": MARKS, "utterances": [
    {"speaker": "agent", "text": "this is Ines"}, {"speaker": "customer", "text": "hi Ines, it is Bao"},
    {"speaker": "agent", "text": "and where Orla and Pell"}]}


class Tokenizer:
    """Words as pieces, as a fast tokenizer gives them."""

    def __init__(self):
        self.known = {}

    def __call__(self, text, **_):
        ids, offsets, at = [], [], 0
        for word in text.split():
            start = text.index(word, at)
            at = start + len(word)
            ids.append(self.known.setdefault(word, len(self.known) + 1))
            offsets.append((start, at))
        return {"input_ids": ids, "offset_mapping": offsets}


class Places(unittest.TestCase):
    def test_a_raw_place_in_treated_text(self):
        # "hi Ines Moor, it is Bao" became "hi [PERSON_NAME_1], it is [PERSON_NAME_2]".
        spans = [[3, 18, 3, 12], [26, 41, 20, 23]]
        for raw, want in {(0, 2): (0, 2), (3, 7): (3, 18), (8, 12): (3, 18), (3, 12): (3, 18), (14, 16): (20, 22), (20, 23): (26, 41),
                          (0, 7): (0, 18), (8, 16): (3, 22)}.items():
            self.assertEqual(items.clean(spans, *raw), want, raw)
        self.assertEqual(items.clean([], 3, 7), (3, 7))

    def test_questions_of_a_window(self):
        mentions, pairs = items.questions(CALL, range(3))
        self.assertEqual([m[3:] for m in mentions], [(items.HERE, False), (items.THERE, True), (items.HERE, False), (items.AWAY, False)])
        self.assertEqual(sorted(pairs), [(0, 1, 1), (0, 2, 0), (0, 3, 0), (1, 3, 0), (2, 3, 0)])

    def test_what_is_cut_off_in_one_treatment_is_asked_in_none(self):
        turns = {"raw": [["agent", "this is Ines", []], ["customer", "hi Ines, it is Bao", []], ["agent", "and where Orla and Pell", []]]}
        turns["long"] = [*turns["raw"][:2], ["agent", "and where " + "x " * items.PIECES + "Orla", [[10, 14 + 2 * items.PIECES, 10, 23]]]]
        turns["long"][2][2][0][0] = 10 + 2 * items.PIECES  # the mask is behind the limit
        row, = items.persons(CALL, turns, Tokenizer())
        self.assertEqual([w[0] for w in row["who"]], [0, 1, 2])
        self.assertEqual({i for p in row["same"] for i in p[:2]}, {0, 1, 2})
        pieces, places = row["texts"]["raw"]["pieces"], row["texts"]["raw"]["places"]
        self.assertEqual([pieces[slice(*p)] for p in places], [[pieces[3]], [pieces[6]], [pieces[9]], [pieces[13]]])

    def test_windows_have_every_turn_once(self):
        call = {"utterances": [{"text": "a " * n} for n in (60, 50, 10, 120, 3)]}
        self.assertEqual([list(w) for w in items.windows(call)], [[0, 1], [2, 3], [4]])


class Scores(unittest.TestCase):
    def test_f1(self):
        self.assertEqual(scores.score({"same": [(1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 0)]}), {"same": 50.0})
        got = scores.score({"who": [(0, 0, 1), (0, 0, 0), (1, 0, 1), (1, 1, 0)]})
        self.assertEqual(got, {"who": 73.33, "who again": 33.33})

    def test_baselines(self):
        text = {"raw": {"pieces": [1, 2, 1], "places": [(0, 1), (1, 2), (2, 3)]}, "redacted": {"pieces": [9, 9, 9], "places": [(0, 1), (1, 2), (2, 3)]}}
        row = {"texts": text, "who": [(0, 2, 0), (1, 2, 0), (2, 0, 1)], "same": [(0, 1, 0), (0, 2, 1)]}
        label = {"label": 0, "texts": {}}
        found = {"persons": {"train": [row], "test": [row]}, "purpose": {"train": [label], "test": [label]}, "next": {"train": [label], "test": [label]}}
        got = scores.baselines(found, ["raw", "redacted"])
        self.assertEqual(got["same if alike"], {"raw": 100.0, "redacted": 66.67})
        self.assertEqual(got["usual"]["purpose"], 100.0)

    def test_the_tables_and_the_plot_have_every_seed(self):
        runs = [{"treatment": t, "seed": s, "raw": dict.fromkeys(scores.TASKS, 40.0 + s), "alike": dict.fromkeys(scores.TASKS, 50.0)}
                for t in treat.TREATMENTS for s in range(3)]
        usual = {"scores": {"usual": dict.fromkeys(scores.TASKS, 20.0)}}
        self.assertIn("| numbered | 41.0 ± 1.0 |", "\n".join(table(runs, usual, "raw")))
        self.assertEqual(svg(runs, usual).count("<circle"), 5 * 2 * 3 * len(scores.TASKS))


class Treatments(unittest.TestCase):
    def test_events_and_missing_sets(self):
        sent = list(treat.events({"c1": CALL}))
        self.assertEqual([(e["seq"], e["type"]) for e in sent], [(1, "UTTERANCE"), (2, "UTTERANCE"), (3, "UTTERANCE"), (4, "END")])
        with tempfile.TemporaryDirectory() as d, self.assertRaisesRegex(SystemExit, "multidogo.jsonl.*data.md"):
            treat.main("sotto", d, d)

    def test_what_sotto_wrote_is_read(self):
        event = {"call_id": "c1", "seq": 2, "type": "UTTERANCE", "text": "hi [X_1]", "entities": [{"start": 3, "end": 8, "raw_start": 3, "raw_end": 7}]}
        with mock.patch.object(subprocess, "run", return_value=mock.Mock(stdout=(json.dumps(event) + '\n{"type": "END"}\n').encode())) as run:
            self.assertEqual(treat.treated("sotto", "f", "typed", pathlib.Path("k")), {"c1": {2: ("hi [X_1]", [[3, 8, 3, 7]])}})
        self.assertEqual(run.call_args.kwargs["env"]["SOTTO_STRATEGY"], "typed")


if __name__ == "__main__":
    unittest.main()
