#!/usr/bin/env python3
"""How well is a tagger of names that learned from replaced text, on text that was not replaced? See docs/replaced.md.

names.py SOTTO REPLACED PLOT FILE... takes the programs sotto and replaced, and our labelled calls. It prints tables, and
draws p, epsilon and F1 in the file PLOT (SVG).
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from statistics import mean, stdev

import pycrfsuite

KINDS = ["PERSON_NAME", "ORGANIZATION_NAME", "LOCATION", "DATE", "TIME"]
STRATEGIES = ["redact", "typed", "typed-numbered", "named", "word", "entity"]
SHARES = [1, 0.9, 0.5]
CALLS, TESTS, SEEDS = 400, 150, 2
TOKEN = re.compile(r"\[[A-Z0-9_]+\]|\w+(?:['’.-]\w+)*|[^\w\s]")


def shape(word):
    return re.sub(r"[^\W\d_]", lambda c: "X" if c[0].isupper() else "x", re.sub(r"\d", "9", word))[:6]


def features(words):
    """What the model sees of each word: itself, its form, and its neighbours."""
    padded = ["<s>", "<s>", *words, "</s>", "</s>"]
    for i in range(2, len(words) + 2):
        found = ["suffix=" + padded[i][-3:].lower(), f"pair={padded[i - 1].lower()} {padded[i].lower()}", f"pair2={padded[i].lower()} {padded[i + 1].lower()}"]
        for k in range(-2, 3):
            found += [f"{k}={padded[i + k].lower()}", f"shape{k}={shape(padded[i + k])}"]
        yield found


def sequences(calls):
    """Words with their places and labels, by turn."""
    for call in calls:
        for u in call["utterances"]:
            tokens = list(TOKEN.finditer(u["text"]))
            labels = ["O"] * len(tokens)
            for e in u["entities"]:
                inside = [i for i, t in enumerate(tokens) if t.start() < e["end"] and e["start"] < t.end()]
                if e["type"] in KINDS:
                    for n, i in enumerate(inside):
                        labels[i] = ("I-" if n else "B-") + e["type"]
            yield tokens, labels


def spans(tokens, labels):
    found, last = [], ""
    for t, label in zip(tokens, labels):
        if label[:2] == "I-" and last == label[2:]:
            found[-1] = (found[-1][0], t.end(), last)
        elif label != "O":
            found.append((t.start(), t.end(), label[2:]))
        last = label[2:]
    return set(found)


class Score:
    """F1 of spans with the same words and kind."""

    def __init__(self):
        self.right, self.wanted, self.found = Counter(), Counter(), Counter()

    def add(self, wanted, found):
        for counts, what in (self.right, wanted & found), (self.wanted, wanted), (self.found, found):
            counts.update(kind for *_, kind in what)

    def f1(self, *kinds):
        both = sum(self.wanted[k] + self.found[k] for k in kinds)
        return 200 * sum(self.right[k] for k in kinds) / both if both else 0.0


def crf(train, test, path):
    """The score of a conditional random field."""
    trainer = pycrfsuite.Trainer(verbose=False)
    for tokens, labels in sequences(train):
        if tokens:
            trainer.append(list(features([t[0] for t in tokens])), labels)
    trainer.set_params({"c1": 0.1, "c2": 0.1, "max_iterations": 60})
    trainer.train(str(path))
    tagger, score = pycrfsuite.Tagger(), Score()
    tagger.open(str(path))
    for tokens, labels in sequences(test):
        score.add(spans(tokens, labels), spans(tokens, tagger.tag(list(features([t[0] for t in tokens])))))
    tagger.close()
    return score


def own(sotto, train, test, folder):
    """F1 of Sotto with a tagger of its own that learned from a file, as text: it refuses a file all of whose names are marks."""
    model, raw = folder / "model", folder / "raw.jsonl"
    if subprocess.run([sotto, "train", "tagger", train, "-o", model], capture_output=True).returncode:
        return "refused"
    with raw.open("w", encoding="utf-8") as f:
        for call in test:
            for seq, u in enumerate(call["utterances"]):
                f.write(json.dumps({"call_id": call["id"], "seq": seq, "type": "UTTERANCE", "text": u["text"] or ".", "speaker": {"id": u["speaker"]}}) + "\n")
    env = {**os.environ, "SOTTO_MODEL_FILE": str(model), "SOTTO_RAW_OFFSETS": "true"}
    clean = subprocess.run([sotto, "anonymize", "--live", raw], check=True, capture_output=True, env=env).stdout
    found = {}
    for line in clean.splitlines():
        event = json.loads(line)
        found[event["call_id"], event["seq"]] = {(e["raw_start"], e["raw_end"], e["type"]) for e in event["entities"]}
    score = Score()
    for call in test:
        for seq, u in enumerate(call["utterances"]):
            score.add({(e["start"], e["end"], e["type"]) for e in u["entities"]}, found[call["id"], seq])
    return f"{score.f1(*KINDS[:3]):.1f}"


def treat(replaced, strategy, p, seed, source, target):
    """Replaces the values of a file; epsilon as text."""
    with open(target, "wb") as out:
        said = subprocess.run([replaced, "-strategy", strategy, "-p", str(p), "-seed", str(seed), source], check=True, stdout=out, stderr=subprocess.PIPE)
    epsilon, _, apart = said.stderr.decode().strip().partition(" ")
    return "none" if apart else epsilon


def read(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]


def spread(values):
    return f"{mean(values):.1f} ± {stdev(values):.1f}" if len(values) > 1 else f"{values[0]:.1f}"


def svg(points, raw):
    """F1 by p, a line for each strategy; epsilon stands at its points."""
    colours = dict(zip(STRATEGIES, ("#000", "#d62728", "#ff7f0e", "#9467bd", "#1f77b4", "#2ca02c")))
    x, y = lambda p: 70 + 900 * (1 - p), lambda f: 330 - 3 * f
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 390" font-family="sans-serif" font-size="12" role="img" aria-label="F1 of names by replacement probability">',
           '<rect width="700" height="390" fill="#fff"/><path d="M70 30V330H550" fill="none" stroke="#000"/>',
           f'<path d="M70 {y(raw):.1f}H550" stroke="#999" stroke-dasharray="4"/><text x="555" y="{y(raw) + 4:.1f}">not replaced</text>']
    out += [f'<text x="60" y="{y(f) + 4}" text-anchor="end">{f}</text>' for f in range(0, 101, 20)]
    out += [f'<text x="{x(p):.0f}" y="348" text-anchor="middle">{p}</text>' for p in SHARES]
    out += ['<text x="310" y="370" text-anchor="middle">replacement probability p (at the points: epsilon, 0 for p = 1)</text>', '<text x="20" y="180" transform="rotate(-90 20 180)" text-anchor="middle">F1 of names</text>']
    for n, s in enumerate(STRATEGIES):
        line = [(x(p), y(f), e) for (strategy, p), (f, e) in points.items() if strategy == s]
        out.append(f'<polyline fill="none" stroke="{colours[s]}" stroke-width="2" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b, _ in line)}"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colours[s]}"/>' for a, b, _ in line]
        below = 16 if s == "word" else -8
        out += [f'<text x="{a:.1f}" y="{b + below:.1f}" font-size="10" text-anchor="middle" fill="{colours[s]}">{e}</text>' for a, b, e in line if e not in ("none", "0.00")]
        out.append(f'<text x="575" y="{60 + 18 * n}" fill="{colours[s]}">{s}</text>')
    return "\n".join([*out, "</svg>", ""])


def main(sotto, replaced, plot, *files):
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        labelled = subprocess.run([sotto, "corpus", "convert", *files], check=True, capture_output=True).stdout
        calls = [json.loads(line) for line in labelled.splitlines()]
        random.Random(0).shuffle(calls)
        train, test, treated = folder / "train.jsonl", calls[CALLS:CALLS + TESTS], folder / "treated.jsonl"
        train.write_text("".join(json.dumps(c) + "\n" for c in calls[:CALLS]), encoding="utf-8")
        values = Counter(e["type"] for c in test for u in c["utterances"] for e in u["entities"])
        print(f"{CALLS} calls to train, {TESTS} to test with {sum(values[k] for k in KINDS)} names, dates and times.\n")
        print("| strategy | p | epsilon | F1 | " + " | ".join(KINDS) + " | F1 of Sotto |\n|---|--:|--:|" + "--:|" * (len(KINDS) + 2))
        points, raw = {}, 0
        for strategy, p in [("none", 0), *((s, p) for p in SHARES for s in STRATEGIES)]:
            scores, engine = [], "-"
            for seed in range(SEEDS if p else 1):
                epsilon = treat(replaced, strategy, p, seed, train, treated) if p else "none"
                scores.append(crf(read(treated if p else train), test, folder / "crf"))
                if seed == 0 and p in (0, 0.9, 1):
                    engine = own(sotto, treated if p else train, test, folder)
            cells = [spread([s.f1(*kinds) for s in scores]) for kinds in (KINDS, *([k] for k in KINDS))]
            print(f"| {strategy} | {p or '-'} | {epsilon} | " + " | ".join([*cells, engine]) + " |", flush=True)
            if p:
                points[strategy, p] = mean(s.f1(*KINDS) for s in scores), epsilon
            else:
                raw = scores[0].f1(*KINDS)
        pathlib.Path(plot).write_text(svg(points, raw), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
