import pathlib
import tempfile
import unittest

from names import KINDS, Score, crf, sequences, spans, svg


def call(name):
    text = f"this is {name} Larkmoor of [ORGANIZATION_NAME_1], on May 4"
    places = [(name + " Larkmoor", "PERSON_NAME"), ("[ORGANIZATION_NAME_1]", "ORGANIZATION_NAME"), ("May 4", "DATE"), ("this", "OTHER")]
    return {"utterances": [{"text": text, "entities": [{"start": (a := text.index(v)), "end": a + len(v), "type": t} for v, t in places]}]}


class Names(unittest.TestCase):
    def test_labels_give_the_spans_back(self):
        (tokens, labels), = sequences([call("Zoë")])
        text = call("Zoë")["utterances"][0]["text"]
        self.assertEqual({(text[a:b], kind) for a, b, kind in spans(tokens, labels)},
                         {("Zoë Larkmoor", "PERSON_NAME"), ("[ORGANIZATION_NAME_1]", "ORGANIZATION_NAME"), ("May 4", "DATE")})
        self.assertEqual(spans(tokens, ["B-DATE", "B-DATE", "O", "I-DATE", "I-TIME", *["O"] * (len(tokens) - 5)]),
                         {(0, 4, "DATE"), (5, 7, "DATE"), (12, 20, "DATE"), (21, 23, "TIME")})

    def test_scores(self):
        score = Score()
        score.add({(0, 1, "DATE"), (2, 3, "TIME")}, {(0, 1, "DATE"), (2, 4, "TIME"), (5, 6, "DATE")})
        self.assertEqual((score.f1("DATE"), score.f1("TIME"), score.f1(*KINDS), score.f1("LOCATION")), (200 / 3, 0, 40, 0))

    def test_the_tagger_learns(self):
        with tempfile.TemporaryDirectory() as d:
            score = crf([call(n) for n in ("Ines", "Bao", "Orla")] * 3, [call("Nkem")], pathlib.Path(d) / "m")
        self.assertEqual(score.f1(*KINDS), 100)

    def test_the_plot_has_its_points(self):
        plot = svg({("word", 1): (70.0, "0.00"), ("word", 0.9): (75.0, "6.75"), ("redact", 0.9): (60.0, "none")}, 80)
        self.assertEqual((plot.count("<circle"), plot.count(">6.75<"), plot.count(">none<")), (3, 1, 0))


if __name__ == "__main__":
    unittest.main()
