import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from audit import BuiltIn, Token, attack_by_loss, identifiers, main, ngrams, outputs, predicted

sys.path.append(str(pathlib.Path(__file__).parents[1] / "recover"))
import recover  # noqa: E402

CANARY = "quimbolt zither"


def call(call_id, name, word):
    turns = [f"hello this is {name} calling", f"what is your locker word please {call_id[0]}", f"it is the {word} thank you"]
    spans = [[{"start": 14, "end": 14 + len(name), "type": "PERSON_NAME"}], [], []]
    return {"id": call_id, "utterances": [{"text": t, "entities": e} for t, e in zip(turns, spans)]}


class Audit(unittest.TestCase):
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
        self.common = ["--members", str(self.d / "members"), "--others", str(self.d / "others"), "--blacklist", str(self.d / "list")]

    def model(self, k):
        path = str(self.d / f"lm{k}")
        with contextlib.redirect_stderr(io.StringIO()):
            recover.main(["lm", str(self.d / "members"), "-k", str(k), "-o", path])
        return path

    def run_audit(self, *args):
        """The report, the exit status, and what is said to people."""
        out, err, status = io.StringIO(), io.StringIO(), 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main([*self.common, "--json", *args])
            except SystemExit as e:
                status = e.code
        return json.loads(out.getvalue() or "{}"), status, err.getvalue()

    def serve(self, model):
        """A process that serves a model; its URL."""
        p = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("serve.py")), model], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (p.kill(), p.wait(), p.stdout.close()))
        return p.stdout.readline().strip()

    def test_a_model_that_has_memorized_and_one_that_has_not(self):
        for k, memorized in (1, True), (2, False):
            model = self.model(k)
            report, status, said = self.run_audit("--openai", self.serve(model), "--rate", "0", "--check", "--html", str(self.d / "html"))
            self.assertEqual(status, 3 if memorized else 0, said)
            self.assertEqual(report, self.run_audit("-m", model)[0])
            privacy, attack, out = report["privacy"], report["low-cost attack"], report["outputs"]
            if memorized:
                self.assertLess(privacy["total"], 0.6)
                self.assertEqual((attack["precision"], attack["recall"], attack["f1"]), (1, 1, 1))
                self.assertGreaterEqual(out["identifying 2-grams"], 1)
                self.assertIn("the low-cost attack has an F1 of 1.000", said)
            else:
                self.assertEqual((privacy["total"], privacy["direct"], privacy["indirect"]), (1, 1, 1))
                self.assertEqual((attack["recall"], out["identifying 1-grams"]), (0, 0))
            self.assertEqual(privacy["identifiers"], 2 + 3 * 3)
            page = (self.d / "html").read_text(encoding="utf-8")
            self.assertIn("<polyline", page)
            self.assertFalse([w for w in self.list if w in page or w in said], "a report says what it found")
            self.assertEqual(os.stat(self.d / "html").st_mode & 0o777, 0o600)

    def test_canaries_in_outputs(self):
        rows = [{"output": "the locker word is the Quimbolt  zither, [PERSON_NAME_1]"}, {"prompt": "I am Orla", "output": "hello orla of Orlatown"}]
        (self.d / "out").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
        report, status, said = self.run_audit("--outputs", str(self.d / "out"), "--check")
        want = {"outputs": 2, "words": 12, "tags": 1, "tags of their prompts": 0, "identifying 1-grams": 3, "identifying 2-grams": 1, "identifying 3-grams": 1}
        self.assertEqual((report["outputs"], status), (want, 3))
        self.assertEqual(said, "audit.py: outputs have 3 identifying words\n")

    def test_what_is_personal_in_outputs_and_which_tags_are_kept(self):
        rows = [{"prompt": "thanks [PERSON_NAME_1]", "output": "[PERSON_NAME_1] and [PERSON_NAME_2], call Ines Larkmoor at 604-555-0134"}, {"output": "bye"}]
        (self.d / "out").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
        report, _, said = self.run_audit("--outputs", str(self.d / "out"), "--sotto", str(pathlib.Path(__file__).parents[2] / "bin" / "sotto"))
        self.assertEqual(report.get("personal information"), {"PERSON_NAME": 1, "PHONE_NUMBER": 1}, said)
        self.assertEqual((report["outputs"]["tags"], report["outputs"]["tags of their prompts"]), (2, 1))

    def test_figures(self):
        self.assertEqual(attack_by_loss([1, 2], [3, 4])[:2], (1, 1))
        self.assertEqual(attack_by_loss([1, 4], [2, 3])[:2], (0.5, 0.5))
        self.assertEqual(attack_by_loss([1, 1], [1, 1])[:2], (0.5, 0))
        tokens = [Token(0, 2, -1, "bo", True), Token(3, 5, -1, "x", False), Token(6, 8, -1, "Ġzed", False)]
        self.assertEqual(predicted(tokens, {"bo": [(0, 2), (6, 8)], "boli": [(0, 5)], "zed": [(9, 12)]}), {"bo", "zed"})
        # What a call has said already tells nothing of what the model has learned.
        self.assertEqual(predicted(tokens, {"zed": [(3, 5), (9, 12)]}), set())
        self.assertEqual(identifiers(("Zoë is zoe, Bo", [(0, 3)]), {"zoe", "bo"}), ({"zoe": [(0, 3)]}, {"zoe": [(7, 10)], "bo": [(12, 14)]}))
        self.assertEqual(ngrams("Zoë Li-bo", {"zoe li", "bo"}), [{"bo"}, {"zoe li"}, set()])
        self.assertEqual(outputs([], set())["outputs"]["words"], 0)
        model = BuiltIn(self.model(1))
        self.assertEqual(model.write("it is the", 2), CANARY)

    def test_problems_say_nothing_of_a_text(self):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b'{"choices": [{"text": "secret", "logprobs": null}]}')

            def log_message(self, *_):
                pass
        s = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=s.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(s.server_close)
        self.addCleanup(s.shutdown)
        (self.d / "bad").write_text("secret\n", encoding="utf-8")
        for args, want in (
            (["--openai", f"http://127.0.0.1:{s.server_port}/v1", "--retries", "0"], "not one of the interface"),
            (["--outputs", str(self.d / "bad")], "does not have an object with output"),
            (["-m", str(self.d / "bad")], "not a language model"),
            (["-m", self.model(1), "--members", str(self.d / "bad")], ":1: not a labelled conversation"),
            (["-m", self.model(1), "--blacklist", str(self.d / "bad")], "is not a list"),
            (["-m", self.model(1), "--others", os.devnull], "no others"),
        ):
            _, status, _ = self.run_audit(*args)
            self.assertIn(want, status)
            self.assertNotIn("secret", status)


if __name__ == "__main__":
    unittest.main()
