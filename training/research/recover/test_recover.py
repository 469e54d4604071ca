import http.server
import json
import os
import pathlib
import random
import stat
import tempfile
import threading
import time
import unittest

from lm import BEGIN, MASK, UNKNOWN, Model, words
from recover import BuiltIn, Refused, Server, Temporary, Words, main, recover, shared_words

TEXTS = ["i live in dale now", "i live in york now", "i live in dale now", "we work in york today", "my name is ines",
         "my name is pam and i work here"]


def model(*lines, vocabulary=()):
    lines = [t.split() for t in lines or TEXTS]
    return Model.train(lines, {*vocabulary, *(w for t in lines for w in t)})


def call(call_id, *lines):
    return {"id": call_id, "utterances": [{"speaker": "agent", "text": t} for t in lines]}


def recovered(filler, call_id, *lines, **options):
    return [u["text"] for u in recover(call(call_id, *lines), filler, **options)["utterances"]]


class LanguageModel(unittest.TestCase):
    def test_words(self):
        self.assertEqual(words("It's Zoë, [PERSON_NAME_1]; [not] 5-x"), ["it's", "zoë", "[PERSON_NAME_1]", "not", "5", "x"])

    def test_probabilities_add_up(self):
        draw = random.Random(1)
        for _ in range(30):
            lines = [" ".join(draw.choices(["a", "b", "c", MASK], k=draw.randrange(6))) for _ in range(draw.randrange(8))]
            m = model(*lines, vocabulary=["never", "said"]) if lines else Model.train([], ["never"])
            for _ in range(5):
                u, v = (draw.choice(sorted(m._known)) for _ in range(2))
                self.assertAlmostEqual(sum(m.prob(u, v, w) for w in m._known), 1)

    def test_kneser_ney(self):
        m = model("see san diego", "in san diego", "at san diego", "the blue cat", "a blue dog", "one blue hat")
        # diego is as frequent as blue, but follows one word only.
        self.assertLess(m.prob(UNKNOWN, UNKNOWN, "diego"), m.prob(UNKNOWN, UNKNOWN, "blue"))
        self.assertGreater(m.prob("see", "san", "diego"), 0.3)
        self.assertGreater(m.prob("the", "blue", UNKNOWN), 0)

    def test_fill(self):
        m = model("i live in dale now", "i live in dale now", "i live in york", "we live near dale", "i work in york now", "[PERSON_NAME_1] is here")
        self.assertEqual(m.fill(["i", "live", "in"], ["now"], 3)[0], "dale")
        self.assertFalse({"[PERSON_NAME_1]", BEGIN} & set(m.fill([], ["is"], 100)))

    def test_rare_words_stay_out(self):
        calls = [call(str(i), f"hello {name}, how are you") for i, name in enumerate(["Ines", "Bao", "Ines"])]
        self.assertEqual(shared_words(calls, 2), (["are", "hello", "how", "ines", "you"], 1))


class Recovery(unittest.TestCase):
    def test_top1(self):
        got = recovered(BuiltIn(model()), "a", "I live in [MASK] now.", "no mask", "My [MASK] [MASK] is ines, I live in [MASK].", method="top1")
        self.assertEqual(got[:2], ["I live in dale now.", "no mask"])
        self.assertRegex(got[2], r"^My name is ines, I live in \w+\.$")

    def test_topk_is_deterministic_for_a_seed(self):
        def run(seed):
            return recovered(BuiltIn(model()), "a", "I live in [MASK] now, my name is [MASK]", "[MASK] work in [MASK] today", k=5, seed=seed)
        self.assertEqual(run(1), run(1))
        self.assertGreater(len({tuple(run(s)) for s in range(10)}), 1)

    def test_words_that_masking_kept_are_avoided(self):
        for method in ("top1", "topk"):
            got = recovered(BuiltIn(model()), "a", "I live in [MASK] now.", method=method, avoid={"dale", "live", "in", "now", "i"})
            self.assertNotIn("dale", got[0])

    def test_tags_get_words_of_their_infotypes(self):
        with tempfile.TemporaryDirectory() as d:
            path = pathlib.Path(d, "table")
            path.write_text("sotto surrogates 1\nPERSON_NAME\tgiven\t9\tOrla\nPERSON_NAME\tgiven\t1\tQuill\n"
                            "PERSON_NAME\tsurname\t9\tHalpert\nLOCATION\tvalue\t1\tYork\n", encoding="utf-8")
            tags = Words(path)
            path.write_text("sotto surrogates 1\nPERSON_NAME\tsecret\n", encoding="utf-8")
            with self.assertRaisesRegex(ValueError, "table:2: ") as e:
                Words(path)
            self.assertNotIn("secret", str(e.exception))
        turns = ("[PERSON_NAME_2], this is [PERSON_NAME_1], I live in [LOCATION] now, [MASK] [ICD10_CODE_1]",
                 "[PERSON_NAME_1]? [PHONE_NUMBER_1] or [PHONE_NUMBER_1], [\\\\TAG_1]")
        for seed in range(10):
            got = recovered(BuiltIn(model()), "a", *turns, seed=seed, tags=tags)
            self.assertRegex(got[0], r"^(Orla, this is Quill|Quill, this is Orla), I live in York now, \w+ icd10 code$")
            one = got[0].split(",")[1].split()[-1]
            self.assertRegex(got[1], rf"^{one}\? (555 01\d\d) or \1, \[\\\\TAG_1\]$")
        self.assertIn("[PERSON_NAME_1]", recovered(BuiltIn(model()), "a", *turns)[0])

    def test_commands(self):
        with tempfile.TemporaryDirectory() as d:
            def path(name):
                return os.path.join(d, name)
            names = ["Ines", "Bao", "Quill", "Orla"]
            calls = [call(f"A{i}", f"hello {n}, how are you", f"this is {n}, good thanks") for i, n in enumerate(names)]
            masked = json.loads(json.dumps(calls))
            for c, n in zip(masked, names):
                for u in c["utterances"]:
                    u["text"] = u["text"].replace(n, MASK)
            for name, all_calls in ("in.jsonl", calls), ("masked.jsonl", masked):
                with open(path(name), "w", encoding="utf-8") as f:
                    f.writelines(json.dumps(c) + "\n" for c in all_calls)
            for k, comes_back in ("1", True), ("2", False):
                main(["lm", path("in.jsonl"), "-k", k, "-o", path("model")])
                with self.assertRaisesRegex(SystemExit, "trained on 4 of these 4 calls"):
                    main(["recover", path("masked.jsonl"), "-m", path("model"), "-o", path("out")])
                # A name that only one call says does not come back, nor after training with the calls.
                args = ["recover", path("masked.jsonl"), "-m", path("model"), "--own-calls", "--finetune", "1", "--train", path("in.jsonl"), "--listed"]
                for out in "out", "again":
                    main([*args, "-o", path(out)])
                filled, again = (pathlib.Path(path(out)).read_text(encoding="utf-8") for out in ("out", "again"))
                self.assertEqual(filled, again)
                self.assertNotIn(MASK, filled)
                self.assertEqual(any(n.lower() in filled.lower() for n in names), comes_back)
                self.assertEqual(stat.S_IMODE(os.stat(path("out")).st_mode), 0o600)
            with self.assertRaisesRegex(SystemExit, "not a language model"):
                main(["recover", path("masked.jsonl"), "-m", path("masked.jsonl"), "-o", path("out")])
            with self.assertRaisesRegex(SystemExit, "--finetune trains"):
                main(["recover", path("masked.jsonl"), "-m", path("model"), "--openai", "http://localhost", "--finetune", "1", "-o", path("out")])


    def test_calls_under_other_names_are_known_by_what_they_say(self):
        said = ["hello this is ines from the water board how can i help you today", "my meter is broken and the bill was far too high"]
        m = Model.train([words(t) for t in said], {w for t in said for w in words(t)} - {"ines"}, ["A1"])
        masked = [words(t.replace("ines", MASK)) for t in said]
        self.assertTrue(m.trained_on("A1"))
        self.assertTrue(m.trained_on("B7", masked))
        self.assertFalse(m.trained_on("B7", [*masked, words("and the pump leaks")]))
        self.assertFalse(m.trained_on("B7", masked[:0]))


class Servers(unittest.TestCase):
    def serve(self, fail=None):
        """Serves the built-in model by both interfaces, unless fail(n, handler) answers the nth request."""
        m, count = model(), [0]

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.body = body
                count[0] += 1
                if fail and fail(count[0], self):
                    return
                if self.path == "/v1/completions":
                    found = m.fill(words(body["prompt"]), [UNKNOWN], body["logprobs"])
                    top = {".": -0.1, **{" " + w: -float(i + 1) for i, w in enumerate(found)}}
                    answer = {"choices": [{"logprobs": {"top_logprobs": [top]}}]}
                else:
                    left, _, right = body["inputs"].partition("<mask>")
                    found = m.fill(words(left), words(right), body["parameters"]["top_k"])
                    answer = [{"token_str": "Ġ" + w, "score": 1 / (i + 1)} for i, w in enumerate(found)]
                self.reply(200, json.dumps(answer).encode())

            def reply(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=s.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(s.server_close)
        self.addCleanup(s.shutdown)
        return f"http://127.0.0.1:{s.server_port}"

    def test_both_interfaces(self):
        # The right side is known by the second one only.
        for fill_mask, path, place in (False, "/v1", "york"), (True, "/fill", "dale"):
            filler = Server(self.serve() + path, fill_mask, mask="<mask>", rate=0)
            got = recovered(filler, "a", "I live in [MASK] now and [MASK].", method="top1")
            self.assertTrue(got[0].startswith(f"I live in {place} now and "), got)
            self.assertNotIn("MASK", got[0])

    def run_main(self, d, url, *args, chat=False):
        """Fills six calls by a server, and returns them. Only york and today are said by two calls of the model."""
        files = {
            "lm.jsonl": [call("x", "we work in york today and dale"), call("y", "hello york today")],
            "in.jsonl": [{"call_id": f"c{i}", "messages": [{"role": "user", "content": f"I live in [MASK] now {i}"}]} if chat
                         else call(f"c{i}", f"I live in [MASK] now {i}") for i in range(6)],
        }
        for name, rows in files.items():
            pathlib.Path(d, name).write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
        main(["lm", f"{d}/lm.jsonl", "-k", "2", "-o", f"{d}/lm"])
        main(["recover", f"{d}/in.jsonl", "-m", f"{d}/lm", "--rate", "0", "--retries", "0", "-o", f"{d}/out", *args, url])
        return [json.loads(line) for line in pathlib.Path(d, "out").read_text(encoding="utf-8").splitlines()]

    def test_words_of_few_calls_are_never_taken(self):
        for chat in (False, True):
            with tempfile.TemporaryDirectory() as d:
                out = self.run_main(d, self.serve() + "/fill", "--mask", "<mask>", "--fill-mask", chat=chat)
            got = [c["messages"][0]["content"] if chat else c["utterances"][0]["text"] for c in out]
            self.assertEqual(got, [f"I live in york now {i}" for i in range(6)])  # dale fits better, see test_both_interfaces

    def test_both_sides_stand_in_the_instruction(self):
        prompts = []

        def note(_, h):
            prompts.append(h.body["prompt"])
            return False
        with tempfile.TemporaryDirectory() as d:
            self.run_main(d, self.serve(note) + "/v1", "--instruct", "--openai")
        self.assertIn("Predict the [MASK] tokens in the given sentence\n\nInput: I live in [MASK] now 3\n\nOutput: I live in", prompts)

    def test_an_interrupted_run_goes_on(self):
        asked, together, most = [], [0], [0]

        def some(_, h):
            text = h.body["inputs"]
            with lock:
                together[0] += 1
                most[0] = max(most[0], together[0])
            barrier.wait(60)
            with lock:
                together[0] -= 1
                asked.append(text)
            return text.endswith("5") and failing and (h.reply(503), True)[1]
        lock, barrier, failing = threading.Lock(), threading.Barrier(2), True
        with tempfile.TemporaryDirectory() as d:
            args = (d, self.serve(some) + "/fill", "--at-once", "2", "--mask", "<mask>", "--fill-mask")
            with self.assertRaisesRegex(SystemExit, "status 503"):
                self.run_main(*args)
            self.assertFalse(os.path.exists(f"{d}/out"))
            self.assertEqual((len(asked), most[0]), (6, 2))
            with open(f"{d}/out.part", "a", encoding="utf-8") as f:
                f.write('{"id": "c')  # as a kill may leave it
            failing, barrier = False, threading.Barrier(1)
            out = self.run_main(*args)
            self.assertEqual([c["id"] for c in out], [f"c{i}" for i in range(6)])
            self.assertEqual(len(asked), 7)
            # Another seed is another run.
            self.run_main(*args[:2], "--seed", "7", *args[2:])
            self.assertEqual(len(asked), 13)
            self.assertFalse(os.path.exists(f"{d}/out.part"))

    def test_failures(self):
        elsewhere = self.serve(lambda *_: self.fail("the text went elsewhere"))

        def status(code, times):
            return lambda n, h: n <= times and (h.reply(code), True)[1]
        for fail, retries, want in [
            (status(429, 1), 1, None),
            (status(503, 9), 0, "status 503"),
            (status(401, 9), 5, "check URL, model and key"),
            (lambda _, h: (h.reply(200, b'{"secret": 1}'), True)[1], 5, "not one of the interface"),
            (lambda _, h: (h.reply(307, Location=elsewhere), True)[1], 5, "status 307"),
            (lambda *_: time.sleep(0.5), 0, "in time"),
        ]:
            s = Server(self.serve(fail), True, timeout=0.2 if want == "in time" else 5, retries=retries, rate=0)
            if want is None:
                self.assertTrue(s.fill("I live in ", " now", 3))
                continue
            with self.assertRaisesRegex((ValueError, Refused, Temporary), want) as e:
                s.fill("I live in ", " now", 3)
            self.assertNotIn("secret", str(e.exception))

    def test_rate(self):
        s, began = Server(self.serve(), True, rate=20), time.monotonic()
        for _ in range(3):
            s.fill("I live in ", " now", 3)
        self.assertGreaterEqual(time.monotonic() - began, 0.1)


if __name__ == "__main__":
    unittest.main()
