import json
import unittest

import load

TOPIC = "calls.final"


def said(call, seq, text):
    return {"call_id": call, "seq": seq, "type": "UTTERANCE", "text": text, "speaker": {"id": "s1", "role": "AGENT"}}


def over(call, seq, utterances, release=True):
    return {"call_id": call, "seq": seq, "type": "END", "text": "", "call": {"utterances": utterances, "release": release}}


class LoadTest(unittest.TestCase):
    def setUp(self):
        self.db = load.connect(":memory:")

    def store(self, *events, start=0):
        load.store(self.db, TOPIC, [(0, start + i, json.dumps(e)) for i, e in enumerate(events)])

    def rows(self):
        return self.db.execute("SELECT call_id, seq, text FROM utterances").fetchall()

    def test_a_call_in_order(self):
        self.store(said("a", 2, "second"), said("a", 1, "first"), over("a", 3, 2))
        self.assertEqual(self.rows(), [("a", 1, "first"), ("a", 2, "second")])

    def test_of_two_with_a_key_the_later_one_counts(self):
        self.store(said("a", 1, "old"), over("a", 1, 1, release=False), said("a", 1, "new"), over("a", 1, 1))
        self.assertEqual(self.rows(), [("a", 1, "new")])

    def test_calls_that_may_not_be_used(self):
        self.store(said("held", 1, "x"), over("held", 2, 1, release=False), said("open", 1, "x"), said("part", 1, "x"), over("part", 3, 2))
        self.assertEqual(self.rows(), [])

    def test_a_failure_keeps_nothing_of_the_batch(self):
        with self.assertRaises(KeyError):
            self.store(said("a", 1, "x"), {"call_id": "a"})
        self.assertEqual(self.db.execute("SELECT count(*) FROM events").fetchone(), (0,))
        self.assertEqual(self.db.execute("SELECT count(*) FROM offsets").fetchone(), (0,))

    def test_offsets_go_on(self):
        self.store(said("a", 1, "x"), start=41)
        self.assertEqual(self.db.execute("SELECT part, next FROM offsets").fetchall(), [(0, 42)])


if __name__ == "__main__":
    unittest.main()
