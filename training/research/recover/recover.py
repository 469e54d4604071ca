#!/usr/bin/env python3
"""Trains a language model (lm), and fills masks with words that fit (recover), as "Recovering from
Privacy-Preserving Masking with Large Language Models" (Vats et al.) does. See docs/recover.md.
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

from lm import MASK, UNKNOWN, Model, words, write_file

FALLBACK = "something"  # where nothing is proposed
INSTRUCTION = "Predict the [MASK] tokens in the given sentence"  # of the paper
TAG = re.compile(r"\[([A-Z][A-Z0-9_]*?)(?:_\d+)?\]")

# What stands for infoTypes whose values are made by rule. Each # becomes a digit; the values belong to nobody.
FORMS = {
    "AGE": "4#", "CREDIT_CARD_NUMBER": "0000 #### #### ####", "DATE_OF_BIRTH": "May #, 198#", "DOMAIN_NAME": "example.com",
    "EMAIL_ADDRESS": "user##@example.com", "GENERIC_ID": "00####", "IP_ADDRESS": "192.0.2.1##", "NUMERIC": "###",
    "PHONE_NUMBER": "555 01##", "SSN": "000 ## ####", "STREET_ADDRESS": "## Main Street", "URL": "www.example.com",
    "USER_NAME": "user###",
}


def read_calls(paths):
    """The calls of files of JSON lines: conversations, events of calls, or rows of a chat export."""
    calls = {}
    for path in paths:
        with open(path, encoding="utf-8") as f:
            for n, line in enumerate(f, 1):
                try:
                    d = json.loads(line)
                    if "utterances" in d:
                        calls[d["id"]] = d
                    elif "messages" in d:
                        turns = [{"speaker": m["role"], "text": m["content"]} for m in d["messages"]]
                        calls[d["call_id"]] = {"id": d["call_id"], "utterances": turns, "chat": d}
                    elif d.get("type") == "UTTERANCE":
                        c = calls.setdefault(d["call_id"], {"id": d["call_id"], "utterances": []})
                        c["utterances"].append({"speaker": (d.get("speaker") or {}).get("id", ""), "text": d["text"]})
                except (ValueError, KeyError, TypeError, AttributeError):
                    raise ValueError(f"{path}:{n}: neither a conversation, an event nor a chat; "
                                     "'sotto corpus convert' makes JSON lines of marked-up text") from None
    return list(calls.values())


def line_of(call):
    """The line of a file for a call, in the form of a chat if it was read from one."""
    if chat := call.get("chat"):
        call = {**chat, "messages": [{"role": u["speaker"], "content": u["text"]} for u in call["utterances"]]}
    return json.dumps(call, ensure_ascii=False) + "\n"


def texts(calls):
    return [words(u["text"]) for c in calls for u in c["utterances"]]


def shared_words(calls, k):
    """The words that at least k calls use, and how many others there are."""
    uses = Counter(w for c in calls for w in {w for t in texts([c]) for w in t})
    shared = sorted(w for w, n in uses.items() if n >= k)
    return shared, len(uses) - len(shared)


class BuiltIn:
    """Fills with the built-in model."""

    def __init__(self, model):
        self.model = model

    def fill(self, before, after, k):
        right = words(after)
        if MASK in right:  # a further mask says nothing about the words before it
            right = [*right[:right.index(MASK)], UNKNOWN]
        return self.model.fill(words(before), right, k)


class Temporary(Exception):
    """A failure that may pass, after a number of seconds that the server asks to wait."""

    def __init__(self, problem, after=0.0):
        super().__init__(problem)
        self.after = after


class Refused(Exception):
    """A failure that does not pass."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Server:
    """Fills with a model behind HTTP: POST URL/completions of OpenAI's interface, or that of Hugging
    Face's inference servers for masked models. Errors hold nothing of a text."""

    def __init__(self, url, fill_mask, model="", mask=MASK, key="", timeout=30.0, retries=5, rate=10.0, instruct=False):
        self.url, self.fill_mask, self.model, self.mask, self.key, self.instruct = url, fill_mask, model, mask, key, instruct
        self.lock = threading.Lock()
        self.timeout, self.retries, self.interval, self.last = timeout, retries, 1 / rate if rate else 0, 0.0
        proxies = {k: v for k, v in urllib.request.getproxies().items() if k == "https"}
        self.opener = urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler(proxies))

    def fill(self, before, after, k):
        if self.fill_mask:
            url, body = self.url, {"inputs": before + self.mask + after.replace(MASK, "…"), "parameters": {"top_k": k}}
        else:  # a causal model begins its word with the space
            prompt = before.rstrip(" ")
            if self.instruct:  # the right side is in the input, and the output is written up to the mask
                prompt = f"{INSTRUCTION}\n\nInput: {before}{MASK}{after}\n\nOutput: {prompt}"
            url, body = self.url.rstrip("/") + "/completions", {
                "model": self.model, "prompt": prompt, "max_tokens": 1, "temperature": 0, "logprobs": k}
        return self._rank(self.post(url, body, self._candidates), k)

    def post(self, url, body, parse):
        """What parse makes of the answer to a request, which is repeated while failures may pass."""
        for attempt in range(self.retries + 1):
            try:
                return parse(json.loads(self._post(url, body)))
            except (ValueError, KeyError, TypeError, IndexError, AttributeError):
                raise ValueError("the server's answer is not one of the interface with probabilities") from None
            except Temporary as e:
                if attempt == self.retries:
                    raise
                time.sleep(max(e.after, 2 ** min(attempt, 5)))

    def _post(self, url, body):
        with self.lock:
            now = time.monotonic()
            self.last = max(now, self.last + self.interval)
            wait = self.last - now
        time.sleep(wait)
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = "Bearer " + self.key
        try:
            request = urllib.request.Request(url, json.dumps(body).encode(), headers)
            with self.opener.open(request, timeout=self.timeout) as r:
                return r.read(1 << 24)
        except urllib.error.HTTPError as e:
            if e.code == 429 or e.code >= 500:
                after = e.headers.get("Retry-After", "")
                raise Temporary(f"the server answers with status {e.code}", min(int(after), 60) if after.isdigit() else 0) from None
            raise Refused(f"the server answers with status {e.code}; check URL, model and key") from None
        except OSError:
            raise Temporary("the server cannot be reached, or did not answer in time") from None

    def _candidates(self, answer):
        if self.fill_mask:
            return {a["token_str"]: float(a["score"]) for a in answer}
        top = answer["choices"][0]["logprobs"]["top_logprobs"]
        return {token: float(score) for token, score in (top[0] if top else {}).items()}

    @staticmethod
    def _rank(candidates, k):
        """Keeps what is a word. Byte-level and sentence-piece models mark the space before one."""
        best = {}
        for token, score in candidates.items():
            w = token.strip(" \n\tĠ▁")
            if re.fullmatch(r"[^\W\d_][^\W\d_'-]*|[^\W\d_](?:[^\W\d_]|['-])*", w):
                best[w] = max(score, best.get(w, score))
        return sorted(best, key=lambda w: (-best[w], w))[:k]


class Words:
    """Words by infoType, from a table of 'sotto corpus table', which has those that several calls use."""

    def __init__(self, path):
        self.values = defaultdict(dict)
        with open(path, encoding="utf-8") as f:
            if f.readline() != "sotto surrogates 1\n":
                raise ValueError(f"{path} is not a table of 'sotto corpus table'")
            for n, line in enumerate(f, 2):
                infotype, part, count, text = (*line.rstrip("\n").split("\t"), "", "", "")[:4]
                if not count.isdigit():
                    raise ValueError(f"{path}:{n}: not a line of infoType, part, count and text")
                if part in ("value", "given"):
                    self.values[infotype][text] = int(count)

    def fill(self, infotype, draw, taken):
        """A word of the infoType that is not taken, by its frequency."""
        values = {v: n for v, n in self.values.get(infotype, {}).items() if v not in taken}
        if not values:
            form = FORMS.get(infotype, infotype.lower().replace("_", " "))
            return re.sub("#", lambda _: str(draw.randrange(10)), form)
        return draw.choices(list(values), list(values.values()))[0]


def recover(call, filler, method="topk", k=10, seed=1, avoid=frozenset(), tags=None, known=None):
    """Fills all masks of a call, from the left to the right, and with tags (Words) its tags, each everywhere
    with the same word. Masks that follow each other count as one. Equal options and an equal ID give equal
    words. Words of avoid are taken only if there are no others, and none that known lacks."""
    draw = random.Random(hashlib.sha256(f"{seed} {call['id']}".encode()).digest())
    filled, of_tag = [], {}
    for u in call["utterances"]:
        rest, before = re.sub(r"\[MASK\](?:\s*\[MASK\])+", MASK, u["text"]), ""
        while m := TAG.search(rest):
            before, rest = before + rest[:m.start()], rest[m.end():]
            if m[0] == MASK:
                # Those to avoid are passed over, so that more than one is needed.
                found = filler.fill(before, rest, max(k, 10) if method == "top1" else k)
                found = [w for w in found if known is None or w.lower() in known]
                found = [w for w in found if w.lower() not in avoid] or found or [FALLBACK]
                word = found[0] if method == "top1" else draw.choice(found)
            else:
                word = of_tag.get(m[0]) or (tags.fill(m[1], draw, of_tag.values()) if tags else m[0])
                if m[0] != f"[{m[1]}]":  # a tag without a number stands for several values
                    of_tag[m[0]] = word
            before += word
        filled.append({"speaker": u.get("speaker", ""), "text": before + rest})
    return {**call, "utterances": filled}


class Journal:
    """The calls that a run has filled, in a file beside its output, so that the same run can go on with them."""

    def __init__(self, path, run):
        self.path, self.lock, self.calls = path, threading.Lock(), {}
        try:
            with open(path, encoding="utf-8") as f:
                lines = f.read().split("\n")[:-1]  # the last line may not be complete
            if lines[:1] == [run]:
                self.calls = {c["id"]: c for c in map(json.loads, lines[1:])}
        except FileNotFoundError:
            pass
        self.file = os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8")
        self.file.write(run + "\n")
        for c in self.calls.values():
            self.add(c)

    def add(self, call):
        with self.lock:
            self.calls[call["id"]] = call
            self.file.write(json.dumps(call) + "\n")
            self.file.flush()

    def remove(self):
        self.file.close()
        os.remove(self.path)


def run_lm(a):
    calls = read_calls(a.files)
    shared, rare = shared_words(calls, a.k)
    model = Model.train(texts(calls), shared, [c["id"] for c in calls])
    write_file(a.output, model.write)
    print(f"{a.output} has a model of {len(calls)} calls with a vocabulary of {len(shared)} words; "
          f"{rare} that fewer than {a.k} calls use are left out.", file=sys.stderr)


def run_recover(a):
    url = a.fill_mask or a.openai
    if a.finetune and url or a.train and not a.finetune or a.instruct and not a.openai:
        raise ValueError("--finetune trains the built-in model, --train needs --finetune, and --instruct needs --openai")
    masked, base, model = read_calls(a.files), texts(read_calls(a.train)), Model.open(a.lm)
    tags = Words(a.tags) if a.tags else None
    if url:
        key = pathlib.Path(a.key_file).read_text(encoding="utf-8").strip() if a.key_file else ""
        filler = Server(url, bool(a.fill_mask), a.model, a.mask, key, a.timeout, a.retries, a.rate, a.instruct)
    else:
        filler = BuiltIn(model)
        own = sum(model.trained_on(c["id"], texts([c])) for c in masked)
        if own and not a.own_calls:
            raise ValueError(f"the model was trained on {own} of these {len(masked)} calls, so it would bring back much of what "
                             "was masked; train it on others with 'recover.py lm', or ask for it with --own-calls")
    # A word that masking kept elsewhere is on its list, and cannot be what was masked.
    avoid = frozenset(w for t in texts(masked) for w in t) if a.listed else frozenset()
    options = {"method": a.method, "k": a.k, "seed": a.seed, "avoid": avoid, "tags": tags, "known": frozenset(model.vocabulary)}
    if url:
        filled = ask(a, masked, lambda c: recover(c, filler, **options))
    else:
        for again in range(a.finetune + 1):
            filled = [recover(c, filler, **options) for c in masked]
            if again < a.finetune:
                # The words stay those of the first model, so that none fills with what it had to leave out.
                filler = BuiltIn(Model.train(base + texts(filled), model.vocabulary))
    write_file(a.output, lambda f: f.writelines(map(line_of, filled)))


def ask(a, masked, fill):
    """Fills calls by a server, several at once, and continues what an equal run has begun."""
    if a.output == "-":
        with ThreadPoolExecutor(a.at_once) as pool:
            return list(pool.map(fill, masked))
    inputs = [pathlib.Path(f).read_bytes() for f in (*a.files, a.lm, *([a.tags] if a.tags else []))]
    chosen = [a.openai, a.fill_mask, a.instruct, a.model, a.mask, a.method, a.k, a.seed, a.listed]
    run = hashlib.sha256(repr([chosen, [hashlib.sha256(i).digest() for i in inputs]]).encode()).hexdigest()
    journal = Journal(a.output + ".part", run)
    if journal.calls:
        print(f"{len(journal.calls)} of {len(masked)} calls are filled already", file=sys.stderr)
    with ThreadPoolExecutor(a.at_once) as pool:
        waiting = [pool.submit(lambda c: journal.add(fill(c)), c) for c in masked if c["id"] not in journal.calls]
        try:
            for w in waiting:
                w.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            journal.file.close()
            raise
    journal.remove()
    return [journal.calls[c["id"]] for c in masked]


def parser():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = p.add_subparsers(required=True)
    c = commands.add_parser("lm", help="train the built-in language model on calls as JSON lines")
    c.set_defaults(run=run_lm)
    c.add_argument("files", nargs="+")
    c.add_argument("-o", "--output", required=True, help="file for the model, or -; keep it as secret as the calls")
    c.add_argument("-k", type=int, default=5, help="calls that must use a word for it to enter the model (%(default)s)")
    c = commands.add_parser("recover", help="fill the masks of masked calls")
    c.set_defaults(run=run_recover)
    c.add_argument("files", nargs="+")
    c.add_argument("-o", "--output", required=True, help="file for the calls, or -")
    c.add_argument("-m", "--lm", required=True, help="model of 'recover.py lm'; nothing is filled with a word that it lacks")
    model = c.add_mutually_exclusive_group()
    model.add_argument("--openai", metavar="URL", help="server, to whose URL /completions is added")
    model.add_argument("--fill-mask", metavar="URL", help="server that predicts masks")
    c.add_argument("--instruct", action="store_true", help="for --openai: give both sides of the mask, in the paper's prompt with an instruction")
    c.add_argument("--model", default="", help="name of the server's model, for --openai")
    c.add_argument("--mask", default=MASK, help="mask of the server's model, for --fill-mask (%(default)s)")
    c.add_argument("--key-file", help="file with the key of the server")
    c.add_argument("--timeout", type=float, default=30, help="seconds that a request may take (%(default)s)")
    c.add_argument("--retries", type=int, default=5, help="how often a request is repeated that failed for a reason that may pass (%(default)s)")
    c.add_argument("--rate", type=float, default=10, help="requests a second at most; 0: no limit (%(default)s)")
    c.add_argument("--at-once", type=int, default=4, metavar="N", help="calls that are filled at a time by a server (%(default)s)")
    c.add_argument("--tags", metavar="TABLE", help="also fill tags, with words of their infoTypes from a table of 'sotto corpus table'")
    c.add_argument("--method", choices=["top1", "topk"], default="topk", help="the best word, or one of the k best (%(default)s)")
    c.add_argument("--k", type=int, choices=range(1, 101), metavar="1..100", default=10, help="how many words topk chooses from (%(default)s)")
    c.add_argument("--seed", type=int, default=1, help="seed of the choice (%(default)s)")
    c.add_argument("--listed", action="store_true", help="the calls were masked by a list of words: prefer words that masking did not keep")
    c.add_argument("--finetune", type=int, default=0, metavar="N", help="train the built-in model on the result and fill again, N times")
    c.add_argument("--train", action="append", default=[], metavar="FILE", help="calls that --finetune also learns from; may be repeated")
    c.add_argument("--own-calls", action="store_true", help="fill calls that the model (-m) was trained on, which may bring back what was masked")
    return p


def main(args=None):
    a = parser().parse_args(args)
    try:
        a.run(a)
    except (ValueError, OSError, Temporary, Refused) as e:
        sys.exit(f"recover.py: {e}")
    except KeyboardInterrupt:
        sys.exit("recover.py: interrupted; the output was not written")


if __name__ == "__main__":
    main()
