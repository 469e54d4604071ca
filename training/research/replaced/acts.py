#!/usr/bin/env python3
"""How well is a classifier of dialogue acts that learned from replaced text, on text that was not replaced? See docs/replaced.md.

acts.py REPLACED FOLDER takes the program replaced, and train/multidogo.jsonl and dev/multidogo.jsonl in FOLDER.
"""

import json
import pathlib
import sys
import tempfile
from collections import Counter

from names import SHARES, STRATEGIES, mean, read, spread, treat
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

GENERAL = {"contentonly", "confirmation", "rejection", "thankyou", "openinggreeting", "closinggreeting", "outofdomain"}
CALLS, SEEDS = 1000, 2
TAG_OR_WORD = r"\[[a-z0-9_]+\]|\w+|[?!]"  # in lower case


def acts(calls):
    """The act of each turn: what is no general intent is a request."""
    return [u["intent"] if u["intent"] in GENERAL else "request" for c in calls for u in c["utterances"]]


def texts(calls):
    return [u["text"] for c in calls for u in c["utterances"]]


def main(replaced, folder):
    train = read(pathlib.Path(folder) / "train/multidogo.jsonl")[:CALLS]
    test = read(pathlib.Path(folder) / "dev/multidogo.jsonl")
    wanted, labels = acts(test), acts(train)
    print(f"{len(labels)} turns to train, {len(wanted)} to test, {len(set(labels))} acts; "
          f"{max(Counter(wanted).values()) / len(wanted):.1%} of the latter have the most frequent one.\n")
    print("| strategy | p | epsilon | accuracy |\n|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as d:
        source, target = pathlib.Path(d) / "train.jsonl", pathlib.Path(d) / "treated.jsonl"
        source.write_text("".join(json.dumps(c) + "\n" for c in train), encoding="utf-8")
        for strategy, p in [("none", 0), *((s, p) for p in SHARES for s in STRATEGIES)]:
            scores = []
            for seed in range(SEEDS if p else 1):
                epsilon = treat(replaced, strategy, p, seed, source, target) if p else "none"
                words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, token_pattern=TAG_OR_WORD)
                model = make_pipeline(words, LinearSVC())
                model.fit(texts(read(target) if p else train), labels)
                scores.append(100 * mean(a == b for a, b in zip(model.predict(texts(test)), wanted)))
            print(f"| {strategy} | {p or '-'} | {epsilon} | {spread(scores)} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
