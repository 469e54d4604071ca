#!/usr/bin/env python3
"""Serves a model of recover.py lm with the completions of OpenAI's interface, to try audit.py on: serve.py MODEL [PORT]."""

import http.server
import json
import sys

from audit import BuiltIn


def handler(model):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text, log = model.write(body["prompt"], body["max_tokens"]), None
            if body.get("echo"):
                tokens = model.read(body["prompt"])
                own = [body["prompt"][t.start:t.end] for t in tokens]
                log = {  # of the prompt, and of what was written, which has a constant here
                    "tokens": [*own, text], "text_offset": [*(t.start for t in tokens), len(body["prompt"])],
                    "token_logprobs": [*(t.logprob for t in tokens), -1],
                    "top_logprobs": [*({own if t.same else t.best: t.logprob} for t, own in zip(tokens, own)), {text: -1}],
                }
                text = body["prompt"] + text
            answer = json.dumps({"choices": [{"text": text, "logprobs": log}]}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass
    return Handler


def main(path, port="0"):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), handler(BuiltIn(path)))
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
