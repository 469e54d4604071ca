#!/usr/bin/env python3
"""What does each strategy of replacement cost a model that learns the purpose of a call? See docs/tasks.md.

purpose.py SOTTO FOLDER reads train/multidogo.jsonl and dev/multidogo.jsonl in FOLDER, has SOTTO anonymize and export them,
trains a linear classifier on the rows, and scores what it says of the rows for testing.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from collections import Counter
from statistics import mean, stdev

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.pipeline import make_pipeline

GENERAL = {"contentonly", "confirmation", "rejection", "thankyou", "openinggreeting", "closinggreeting", "outofdomain"}
STRATEGIES = ["raw", "redact", "typed", "typed-numbered", "named", "word", "entity"]
SEEDS = 5


def read(path, calls=None):
    """Calls with a purpose: the first intent of the customer that is not a general one, by the call."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        call = json.loads(line)
        intents = [i for u in call["utterances"] for i in u["intent"].split("<div>") if i not in GENERAL]
        if intents:
            found[call["id"]] = (intents[0], [u["text"] for u in call["utterances"]])
    chosen = random.Random(0).sample(sorted(found), min(calls or len(found), len(found)))
    return {c: found[c] for c in chosen}


def events(calls):
    for call, (_, texts) in calls.items():
        for seq, text in enumerate(texts, 1):
            yield {"call_id": call, "seq": seq, "type": "UTTERANCE", "speaker": {"id": "c", "role": "CUSTOMER"}, "text": text or "."}
        yield {"call_id": call, "seq": len(texts) + 1, "type": "END"}


def lines(path, objects):
    path.write_text("".join(json.dumps(o) + "\n" for o in objects), encoding="utf-8")
    return path


def rows(sotto, folder, calls, strategy):
    """The text of each exported call, and its purpose."""
    if strategy == "raw":
        return [("".join(f"customer: {t}\n" for t in texts), purpose) for purpose, texts in calls.values()]
    raw, clean = lines(folder / "calls.jsonl", events(calls)), folder / "clean.jsonl"
    env = {**os.environ, "SOTTO_STRATEGY": strategy}
    clean.write_bytes(subprocess.run([sotto, "anonymize", raw], check=True, capture_output=True, env=env).stdout)
    out = subprocess.run([sotto, "corpus", "export", clean, "-o", "-"], check=True, capture_output=True).stdout
    return [(r["text"], calls[r["call_id"]][0]) for r in map(json.loads, out.splitlines())]


def learned(texts, labels):
    """A linear classifier of texts."""
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True), LogisticRegression(C=20, max_iter=1000))
    return model.fit(texts, labels)


def score(model, test):
    texts, want = zip(*test)
    got = model.predict(texts)
    return accuracy_score(want, got), f1_score(want, got, average="macro")


def main(sotto, corpora):
    train, test = read(pathlib.Path(corpora) / "train/multidogo.jsonl", 2000), read(pathlib.Path(corpora) / "dev/multidogo.jsonl")
    classes = {p for p, n in Counter(p for p, _ in train.values()).items() if n >= 20}
    train, test = ({c: x for c, x in calls.items() if x[0] in classes} for calls in (train, test))
    print(f"{len(train)} calls to train, {len(test)} to test, {len(classes)} purposes\n")
    print("| strategy | tested on raw calls: accuracy | macro F1 | tested on calls treated alike: accuracy | macro F1 |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        raw = rows(sotto, folder, test, "raw")
        for strategy in STRATEGIES:
            learned, alike = rows(sotto, folder, train, strategy), rows(sotto, folder, test, strategy)
            scores = []
            for seed in range(SEEDS):
                part = random.Random(seed).sample(learned, len(learned) * 4 // 5)
                model = learned(*zip(*part))
                scores.append([*score(model, raw), *score(model, alike)])
            print(f"| {strategy} | " + " | ".join(f"{100 * mean(x):.1f} ± {100 * stdev(x):.1f}" for x in zip(*scores)) + " |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
