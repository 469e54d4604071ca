"""Tests the rows of tasks and the scores of outputs: python -m unittest. SOTTO is the program, ../../bin/sotto without it."""

import json
import os
import pathlib
import tempfile
import unittest

import tasks

SOTTO = os.environ.get("SOTTO", str(pathlib.Path(__file__).parents[2] / "bin/sotto"))


class Tasks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, *objects):
        path = self.folder / name
        path.write_text("".join((o if isinstance(o, str) else json.dumps(o)) + "\n" for o in objects), encoding="utf-8")
        return str(path)

    def test_rows(self):
        text = "agent: Hi [PERSON_NAME_1]\ncustomer: the vertebra clinic"
        at = text.index("vertebra")
        calls = self.file("calls.jsonl", *({"call_id": c, "text": t, "indirect": i} for c, t, i in (
            ("a", text, [{"start": at, "end": at + 8}]), ("b", "hello [PERSON_NAME_1]", []), ("c", "well", []), ("e", "hm", []), ("g", "no label", []))))
        labels = self.file("labels.jsonl",
                           {"call_id": "a", "summary": "[PERSON_NAME_1] asks about the Vertebra clinic", "action_items": ["call back", "send it"], "purpose": "visit"},
                           {"call_id": "b", "purpose": "visit", "summary": "Wanda Brisk calls", "action_items": ["ask [PERSON_NAME_2]"], "outcome": "done"},
                           {"call_id": "c", "purpose": "the bill of a baker", "outcome": " open "},
                           {"call_id": "e", "purpose": "Wanda Brisk", "outcome": "open"}, {"call_id": "f", "purpose": "Wanda Brisk"})
        rows, refused, missing = tasks.rows(SOTTO, labels, [calls])
        self.assertEqual([(r["call_id"], r["task"], r["messages"][1]["content"]) for r in rows], [
            ("a", "action_items", "call back\nsend it"), ("a", "purpose", "visit"), ("a", "summary", "[PERSON_NAME_1] asks about the [MASK] clinic"),
            ("b", "purpose", "visit"), ("c", "outcome", "open"), ("e", "outcome", "open")])
        self.assertEqual((refused, missing), (5, 1))
        self.assertEqual(rows[1]["messages"][0]["content"], "What is the purpose of this call? Answer with one of: visit.\n\n"
                         "agent: Hi [PERSON_NAME_1]\ncustomer: the [MASK] clinic")

    def test_errors_have_nothing_of_the_labels(self):
        for lines in (["secret"], [{"summary": "secret"}], [{"call_id": "a", "action_items": "secret"}], [{"call_id": "a"}, {"call_id": "a", "summary": "secret"}]):
            with self.assertRaises(SystemExit) as refused:
                tasks.read_labels(self.file("labels.jsonl", *lines))
            self.assertNotIn("secret", str(refused.exception))

    def test_scores(self):
        rows = self.file("rows.jsonl", *({"call_id": c, "task": t, "messages": [{"role": "assistant", "content": x}]} for c, t, x in (
            ("a", "purpose", "visit"), ("b", "purpose", "bill"), ("a", "summary", "the cat sat on the mat"))))
        outputs = [{"call_id": "a", "task": "purpose", "output": "visit "}, {"call_id": "b", "task": "purpose", "output": "other"},
                   {"call_id": "a", "task": "summary", "output": "the cat sat on the mat"}]
        got = tasks.scores(rows, self.file("outputs.jsonl", *outputs))
        self.assertEqual(got["purpose"]["accuracy"], 0.5)
        self.assertAlmostEqual(got["purpose"]["F1"], 1 / 3)
        self.assertAlmostEqual(min(got["summary"].values()), 1)
        with self.assertRaises(SystemExit):
            tasks.scores(rows, self.file("outputs.jsonl", *outputs[1:]))


if __name__ == "__main__":
    unittest.main()
