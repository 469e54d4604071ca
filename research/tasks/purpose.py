#!/usr/bin/env python3
"""What does each strategy of replacement cost a model that learns the purpose of a call? See docs/tasks.md.

purpose.py SOTTO FOLDER reads train/multidogo.jsonl and dev/multidogo.jsonl in FOLDER, has SOTTO anonymize them and make rows
for the task, trains a linear classifier on the rows, and has SOTTO score what it says of the rows for testing.
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


def events(calls, clean):
    """The events of calls: raw ones, or, to have rows of text that is not anonymized, events that say they are clean."""
    for call, (_, texts) in calls.items():
        for seq, text in enumerate(texts, 1):
            more = {"entities": []} if clean else {}
            yield {"call_id": call, "seq": seq, "type": "UTTERANCE", "speaker": {"id": "c", "role": "CUSTOMER"}, "text": text or ".", **more}
        end = {"call": {"release": True, "utterances": len(texts), "entities": {}}, "text": "", "entities": []} if clean else {}
        yield {"call_id": call, "seq": len(texts) + 1, "type": "END", **end}


def lines(path, objects):
    path.write_text("".join(json.dumps(o) + "\n" for o in objects), encoding="utf-8")
    return path


def rows(sotto, folder, calls, strategy, labels):
    """The rows of the task."""
    raw = lines(folder / "calls.jsonl", events(calls, strategy == "raw"))
    if strategy != "raw":
        clean = folder / "clean.jsonl"
        env = {**os.environ, "SOTTO_STRATEGY": strategy}
        clean.write_bytes(subprocess.run([sotto, "anonymize", raw], check=True, capture_output=True, env=env).stdout)
        raw = clean
    out = subprocess.run([sotto, "corpus", "export", raw, "--task", labels, "-o", "-"], check=True, capture_output=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def text(row):
    return row["messages"][0]["content"].partition("\n\n")[2]


def score(sotto, folder, model, test):
    outputs = ({"call_id": r["call_id"], "task": "purpose", "output": o} for r, o in zip(test, model.predict([text(r) for r in test])))
    command = [sotto, "corpus", "score-task", "--json", lines(folder / "rows.jsonl", test), lines(folder / "outputs.jsonl", outputs)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["purpose"]


def main(sotto, corpora):
    train, test = read(pathlib.Path(corpora) / "train/multidogo.jsonl", 2000), read(pathlib.Path(corpora) / "dev/multidogo.jsonl")
    classes = {p for p, n in Counter(p for p, _ in train.values()).items() if n >= 20}
    train, test = ({c: x for c, x in calls.items() if x[0] in classes} for calls in (train, test))
    print(f"{len(train)} calls to train, {len(test)} to test, {len(classes)} purposes\n")
    print("| strategy | tested on raw calls: accuracy | macro F1 | tested on calls treated alike: accuracy | macro F1 |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        # Those of both parts, since the export leaves out purposes that few calls have.
        labels = lines(folder / "labels.jsonl", ({"call_id": c, "purpose": p} for c, (p, _) in {**train, **test}.items()))
        raw = rows(sotto, folder, test, "raw", labels)
        for strategy in STRATEGIES:
            learned, alike = rows(sotto, folder, train, strategy, labels), rows(sotto, folder, test, strategy, labels)
            scores = []
            for seed in range(SEEDS):
                part = random.Random(seed).sample(learned, len(learned) * 4 // 5)
                model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True), LogisticRegression(C=20, max_iter=1000))
                model.fit([text(r) for r in part], [r["messages"][1]["content"] for r in part])
                scores.append([s[k] for s in (score(sotto, folder, model, raw), score(sotto, folder, model, alike)) for k in ("accuracy", "F1")])
            print(f"| {strategy} | " + " | ".join(f"{100 * mean(x):.1f} ± {100 * stdev(x):.1f}" for x in zip(*scores)) + " |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
