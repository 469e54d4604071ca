import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
SOTTO = HERE.parents[2] / "bin" / "sotto"
CANARY = "quimbolt zither"


def call(call_id, name, word):
    turns = [f"hello this is {name} calling", f"what is your locker word please {call_id[0]}", f"it is the {word} thank you"]
    spans = [[{"start": 14, "end": 14 + len(name), "type": "PERSON_NAME"}], [], []]
    return {"id": call_id, "utterances": [{"text": t, "entities": e} for t, e in zip(turns, spans)]}


class AuditModel(unittest.TestCase):
    """sotto corpus audit-model with models that have memorized and that have not, behind a server and read from their files."""

    def setUp(self):
        d = tempfile.TemporaryDirectory()
        self.addCleanup(d.cleanup)
        self.d = pathlib.Path(d.name)
        names = "ines bao quill orla zoë abed nkem pia".split()
        # Each member says a word of its own, and one of them a canary, three times.
        members = [call(f"m{i}", n, CANARY if i == 0 else f"word{i} of {n}town") for i, n in enumerate(names[:4])]
        others = [call(f"o{i}", n, f"word{i + 4} of {n}town") for i, n in enumerate(names[4:])]
        members[0]["utterances"][:1] = [{"text": f"the {CANARY}"}] * 2
        for name, calls in ("members", members), ("others", others):
            (self.d / name).write_text("".join(json.dumps(c) + "\n" for c in calls), encoding="utf-8")
        words = [f"{n}{town}" for n in ("ines", "bao", "quill", "orla", "zoe", "abed", "nkem", "pia") for town in ("", "town") if n + town != "inestown"]
        self.list = [*words, *(f"word{i}" for i in range(1, 8)), "quimbolt", "zither", CANARY, f"the {CANARY}"]
        (self.d / "list").write_text("# sotto blacklist, k = 2, n = 3\n" + "\n".join(self.list) + "\n", encoding="utf-8")

    def model(self, k):
        path = self.d / f"lm{k}"
        subprocess.run([sys.executable, HERE / "recover.py", "lm", self.d / "members", "-k", str(k), "-o", path], check=True, capture_output=True)
        return path

    def serve(self, model):
        """A process that serves a model; its URL."""
        p = subprocess.Popen([sys.executable, HERE / "serve.py", model], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (p.kill(), p.wait(), p.stdout.close()))
        return p.stdout.readline().strip()

    def audit(self, *args):
        calls = ["--members", self.d / "members", "--others", self.d / "others", "--blacklist", self.d / "list"]
        p = subprocess.run([SOTTO, "corpus", "audit-model", *calls, "--json", *args], capture_output=True, text=True)
        return json.loads(p.stdout or "{}"), p.returncode, p.stderr

    def test_a_model_that_has_memorized_and_one_that_has_not(self):
        for k, memorized in (1, True), (2, False):
            model = self.model(k)
            # Of so few calls, the loss gives away the members, whatever the model has kept of them.
            self.assertIn("the attack by the loss has", self.audit("--lm", model, "--check")[2])
            report, status, said = self.audit("--url", self.serve(model), "--check", "--max-auc", "1", "--html", self.d / "html")
            self.assertEqual(status, 3 if memorized else 0, said)
            self.assertEqual(report, self.audit("--lm", model)[0])
            attack = [report[f"low_cost_attack_{x}"] for x in ("precision", "recall", "f1")]
            privacy = [report[x] for x in ("privacy", "privacy_direct", "privacy_indirect")]
            if memorized:
                self.assertLess(privacy[0], 0.6)
                self.assertEqual(attack, [1, 1, 1])
                self.assertGreaterEqual(report["identifying_2_grams"], 1)
                self.assertIn("the low-cost attack has an F1 of 1.000", said)
            else:
                self.assertEqual((privacy, attack), ([1, 1, 1], [None, 0, 0]))
                self.assertEqual(report["identifying_1_grams"], 0)
            self.assertEqual(report["identifiers"], 2 + 3 * 3)
            page = (self.d / "html").read_text(encoding="utf-8")
            self.assertIn("<polyline", page)
            self.assertFalse([w for w in self.list if w in page or w in said], "a report says what it found")
            self.assertEqual(os.stat(self.d / "html").st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main()
