#!/usr/bin/env python3
"""Serves a model of recover.py lm with the completions of OpenAI's interface, as far as sotto corpus audit-model asks for
them: serve.py MODEL [PORT]."""

import functools
import http.server
import json
import math
import re
import sys
from dataclasses import dataclass

from lm import BEGIN, END, UNKNOWN, Model

WORD = re.compile(r"\[\\*[A-Z][A-Z0-9_]*\]|[^\W_]+(?:['’][^\W_]+)*")


@dataclass
class Token:
    """A token of a text with the logarithm of its probability, the token that the model would have written, and
    whether that is the same."""
    start: int
    end: int
    logprob: float
    best: str
    same: bool


class BuiltIn:
    """The n-gram model of recover.py."""

    def __init__(self, path):
        self.model = Model.open(path)
        self._best = functools.cache(self._best)

    def _best(self, u, v):
        m = self.model
        found = {*m._frequent, *m._after2.get((u, v), ()), *m._after1.get(v, ())} - {BEGIN}
        return max(sorted(found), key=lambda w: m.prob(u, v, w))

    def read(self, text):
        tokens, at = [], 0
        for line in text.split("\n"):
            u = v = BEGIN
            for found in WORD.finditer(line):
                w = found[0] if found[0][0] == "[" else found[0].lower()
                w = w if w in self.model._known else UNKNOWN
                best = self._best(u, v)
                tokens.append(Token(at + found.start(), at + found.end(), math.log(self.model.prob(u, v, w)), best, best == w != UNKNOWN))
                u, v = v, w
            at += len(line) + 1
        return tokens

    def write(self, prompt, length):
        line = [w if w in self.model._known else UNKNOWN for w in (f[0].lower() for f in WORD.finditer(prompt.split("\n")[-1]))]
        line, out = [BEGIN, BEGIN, *line], []
        while len(out) < length and (w := self._best(*line[-2:])) != END:
            line.append(w)
            out.append(w)
        return " ".join(w for w in out if w != UNKNOWN)


def completion(model, body):
    """The answer of a model, which reads tokens of a text and writes on, to a request."""
    prompt, log = body["prompt"], None
    text = model.write(prompt, body["max_tokens"])
    if body.get("echo"):
        tokens = model.read(prompt)
        own = [prompt[t.start:t.end] for t in tokens]
        log = {  # of the prompt, and of what was written, which has a constant here
            "tokens": [*own, text], "text_offset": [*(t.start for t in tokens), len(prompt)],
            "token_logprobs": [*(t.logprob for t in tokens), -1],
            "top_logprobs": [*({own if t.same else t.best: t.logprob} for t, own in zip(tokens, own)), {text: -1}],
        }
        text = prompt + text
    return {"choices": [{"text": text, "logprobs": log}]}


def server(model, port=0):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps(completion(model, body)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)


def url(s):
    return f"http://127.0.0.1:{s.server_port}/v1"


def main(path, port="0"):
    s = server(BuiltIn(path), int(port))
    print(url(s), flush=True)
    s.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
