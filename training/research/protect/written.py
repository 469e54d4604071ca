#!/usr/bin/env python3
"""What do protected models write, and what do they tell somebody who has another text of the same people? See docs/protect.md.

written.py SOTTO FILE... trains the model of protect.py on one half of the turns of private calls, protected in several ways. It
scores what the models write, asks them as an attacker who has the other halves would, and learns a task from them.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
from collections import Counter

import numpy as np
import sacrebleu
from rouge_score import rouge_scorer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import cross_val_predict

from protect import EPOCHS, GENERIC, GENERIC_EPOCHS, PRIVATE, WORD, Net, examples, plain, read_calls

GIVEN, SHORTEST = 4, 8  # words of a turn that the model gets; turns with fewer are left out
SEEDS = 3
PROTECTIONS = (("none", False, 0, False), ("pseudonymized", False, 0, True), ("direct", True, 0, False), ("list of words", False, 1, False),
               ("both", True, 1, False))


def halves(call):
    """Two calls, of the odd and of the even turns."""
    out = [dict(call, utterances=call["utterances"][k::2]) for k in (0, 1)]
    return [dict(half, id=f"{half['id']}-{k}") for k, half in enumerate(out)]


def pseudonymized(call):
    """The text with X for each labelled value, and no values left."""
    text, spans = call
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + "x" + text[end:]
    return text, []


def words(text):
    return [m[0].lower() for m in WORD.finditer(text)]


def written(net, calls):
    """What the model writes after the first words of each turn, and what was said there."""
    got, said = [], []
    for text, _ in calls:
        for line in text.split("\n"):
            found = words(line)
            if len(found) >= SHORTEST:
                rest = found[GIVEN:]
                got.append(" ".join(net.write(" ".join(found[:GIVEN]), len(rest)).split("\n")[0].split()))
                said.append(" ".join(rest))
    return got, said


def similar(got, said):
    """BLEU, and the means of ROUGE-1 and ROUGE-L, of 100."""
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"])
    rouge = [scorer.score(s, g) for g, s in zip(got, said)]
    mean = lambda kind: 100 * sum(r[kind].fmeasure for r in rouge) / len(rouge)
    return sacrebleu.corpus_bleu(got, [said]).score, mean("rouge1"), mean("rougeL")


def only(texts, public):
    """By text, the words that no other one has, and no public one, as plain."""
    known = {plain(w) for text, _ in public for w in words(text)}
    of = [{plain(w) for w in words(text)} - known for text, _ in texts]
    count = Counter(w for found in of for w in found)
    return [{w for w in found if count[w] == 1} for found in of]


def told(net, texts, unique):
    """By text, how many of its own words the model says first, where the attacker asks with the words before them."""
    out = []
    for (text, _), own in zip(texts, unique):
        hits = {plain(t.best) for t in net.read(text) if t.same and plain(text[t.start:t.end]) in own}
        out.append(len(hits))
    return out


def task(net, calls, contexts):
    """Macro F1, of 100, of whether a call is customer support, by a linear classifier of the mean of the hidden layer."""
    features = []
    for text, _ in calls:
        features.append(net.forward(net.encode(text)[0])[1].mean(axis=0))
    right = [c == "customer_support" for c in contexts]
    said = cross_val_predict(LogisticRegression(C=10, max_iter=1000), np.array(features), right, cv=5)
    return 100 * f1_score(right, said, average="macro")


class Data:
    """Generic calls; one half of private and of other calls, and the halves that the attacker has; the designer's list."""

    def __init__(self, sotto, folder, files):
        lines = subprocess.run([sotto, "corpus", "convert", *files], check=True, capture_output=True).stdout.splitlines()
        calls = [c for c in map(json.loads, lines) if len(c["utterances"]) >= 8]
        random.Random(1).shuffle(calls)
        generic, private, others = calls[:GENERIC], calls[GENERIC:GENERIC + PRIVATE], calls[GENERIC + PRIVATE:GENERIC + 2 * PRIVATE]
        self.contexts = [c["context"] for c in private + others]
        parts = {"generic": generic}
        for name, of in (("private", private), ("others", others)):
            parts[name], parts[f"{name}-known"] = zip(*(halves(c) for c in of))
        paths = {}
        for name, of in parts.items():
            paths[name] = pathlib.Path(folder) / f"{name}.jsonl"
            paths[name].write_text("".join(json.dumps(c) + "\n" for c in of), encoding="utf-8")
        self.generic, self.private, self.others = (read_calls(paths[n]) for n in ("generic", "private", "others"))
        self.private_known, self.others_known = read_calls(paths["private-known"]), read_calls(paths["others-known"])
        listed = pathlib.Path(folder) / "list"
        subprocess.run([sotto, "corpus", "blacklist", *(paths[n] for n in ("generic", "private", "others")), "-n", "1", "-o", listed],
                       check=True, capture_output=True)
        self.blacklist = set(listed.read_text(encoding="utf-8").splitlines()[1:])


def measure(net, data):
    """The figures of a row."""
    unique = only(data.private_known + data.others_known, data.generic)
    members, rest = (told(net, texts, own) for texts, own in
                     ((data.private_known, unique[:len(data.private_known)]), (data.others_known, unique[len(data.private_known):])))
    hit = lambda counts: 100 * sum(n > 0 for n in counts) / len(counts)
    return [*similar(*written(net, data.private)), *similar(*written(net, data.others))[:2], hit(members), hit(rest), sum(members),
            task(net, data.private + data.others, data.contexts)]


def main(sotto, *files):
    with tempfile.TemporaryDirectory() as folder:
        data = Data(sotto, folder, files)
        print(f"{len(data.generic)} generic calls, halves of {len(data.private)} private ones and of {len(data.others)} others, {SEEDS} seeds\n")
        print("| protection | BLEU | ROUGE-1 | ROUGE-L | on other calls: BLEU | ROUGE-1 | members told, % | others told, % | words told "
              "| F1 of the task |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
        rows = {}
        for seed in range(SEEDS):
            rng = np.random.default_rng(seed)
            base = Net({w for text, _ in data.generic + data.private for w in words(text)} | {"x"}, rng)
            base.train(examples(base, data.generic), GENERIC_EPOCHS, rng)
            rows.setdefault("not trained on the calls", []).append(measure(base, data))
            for name, direct, n, x in PROTECTIONS:
                calls = [pseudonymized(c) for c in data.private] if x else data.private
                net = base.copy().train(examples(base, calls, data.blacklist, direct, n), EPOCHS, rng)
                rows.setdefault(name, []).append(measure(net, data))
        for name, found in rows.items():
            print(f"| {name} | " + " | ".join(f"{np.mean(v):.1f} ± {np.std(v, ddof=1):.1f}" for v in zip(*found)) + " |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
