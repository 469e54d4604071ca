#!/usr/bin/env python3
"""What does a language model learn from calls whose masks were filled, against masked, tagged and raw ones? See docs/recovered.md.

recovered.py SOTTO PLOT FILE... has SOTTO mask and anonymize calls with customer support, fills their masks with models of other
calls, adapts small language models to each result, and tests them on raw calls of other files. It writes the picture PLOT (SVG).
"""

import base64
import hashlib
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the runs share the processors
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE), *(str(HERE.parent / folder) for folder in ("recover", "protect", "tasks", "numbered"))]

import report  # noqa: E402
import treat  # noqa: E402
from lm import BEGIN, END, MASK, UNKNOWN, Model, words  # noqa: E402
from protect import MASK as HIDDEN  # noqa: E402
from protect import CONTEXT, Masked, Net  # noqa: E402
from purpose import f1_score, learned  # noqa: E402
from recover import BuiltIn, Words, recover, shared_words, texts  # noqa: E402
from treat import write  # noqa: E402

GENERIC, PRIVATE, TEST = 300, 60, 60  # calls
SHARED = 2  # generic calls that use a word of the vocabulary
PASSES, ADAPTED, MASKED_PASSES, TUNED_PASSES = 3, 1, 20, 10
SEEDS, K = 3, 10
TECHNIQUES = "allowlist", "vocab", "entity"
STRATEGIES = {"numbered tags": "typed-numbered", "surrogates": "entity"}


class Network:
    """Fills with a network that has learned masked words, from the words on both sides."""

    def __init__(self, net):
        self.net = net
        self.never = [i for i, w in enumerate(net.words) if w in net.symbols or w[0] == "["]

    def ids(self, text):
        return [self.net.ids.get(HIDDEN if w == MASK else w, self.net.ids[UNKNOWN]) for w in words(text)]

    def fill(self, before, after, k):
        ids = self.net.ids
        left = ([ids[BEGIN]] * CONTEXT + self.ids(before))[-CONTEXT:]
        right = (self.ids(after) + [ids[END]] * CONTEXT)[:CONTEXT]
        p = self.net.forward(np.array([left + right]))[2][0]
        p[self.never] = -1
        return [self.net.words[i] for i in np.argsort(-p, kind="stable")[:k]]


def examples(net, calls, unlearned=()):
    """Calls as a network takes them to train. What is unknown, and words of unlearned, is context only."""
    never = [net.ids[w] for w in (UNKNOWN, *(w.lower() for w in unlearned))]
    for call in calls:
        contexts, following, places = net.encode("\n".join(u["text"] for u in call["utterances"]))
        weights = np.array([1 if p else net.ends for p in places], np.float32)
        weights[np.isin(following, never)] = 0
        yield contexts, following, weights


def perplexity(net, calls):
    total = count = 0
    for contexts, following, weights in examples(net, calls):
        p = net.forward(contexts)[2][np.arange(len(following)), following]
        total -= float((weights * np.log(p + 1e-30)).sum())
        count += float(weights.sum())
    return math.exp(total / count)


def speaker(calls, test):
    """Macro F1, of 100, of whether the agent or the customer says a turn, after learning from calls."""
    turns = lambda calls: zip(*((u["text"], u["speaker"]) for c in calls for u in c["utterances"] if u["speaker"] in ("agent", "customer")))
    said, right = turns(test)
    return 100 * f1_score(right, learned(*turns(calls)).predict(said), average="macro")


def without_masks(call):
    return {**call, "utterances": [{**u, "text": u["text"].replace(MASK, "")} for u in call["utterances"]]}


class Data:
    """Generic, private and test calls, and the private ones as Sotto treats them."""

    def __init__(self, sotto, folder, files):
        self.sotto, self.folder = sotto, pathlib.Path(folder)
        generic, support = [], {}
        of = {i: file for file in files for i in re.findall(r"^### id=(\S+)", pathlib.Path(file).read_text(encoding="utf-8"), re.M)}
        for call in map(json.loads, self.run("corpus", "convert", *files).splitlines()):
            if call["context"] != "customer_support":
                generic.append(call)
            elif {u["speaker"] for u in call["utterances"]} >= {"agent", "customer"}:
                support.setdefault(of[call["id"]], []).append(call)
        draw = random.Random(1)
        names = draw.sample(sorted(support), len(support))
        part = lambda names, n: draw.sample([c for name in names for c in support[name]], n)
        self.generic = draw.sample(generic, GENERIC)
        self.private, self.test = part(names[::2], PRIVATE), part(names[1::2], TEST)
        self.paths = {name: self.folder / f"{name}.jsonl" for name in ("generic", "private")}
        for name, path in self.paths.items():
            write(path, getattr(self, name))
        shared, _ = shared_words(self.generic, SHARED)
        self.tagged = {name: self.anonymized(strategy) for name, strategy in STRATEGIES.items()}
        self.vocabulary = sorted({*shared, MASK, *(w for t in texts(self.tagged["numbered tags"]) for w in t if w[0] == "[")})
        table = self.folder / "words.tsv"
        self.run("corpus", "table", self.paths["generic"], "-o", table, "--min-calls", "5")
        self.words = Words(table)

    def run(self, *args):
        done = subprocess.run([self.sotto, *args], capture_output=True)
        if done.returncode:
            sys.exit(done.stderr.decode())
        return done.stdout

    def masked(self, technique):
        lines = self.run("corpus", "mask", "--technique", technique, self.paths["private"], "-o", "-").splitlines()
        return list(map(json.loads, lines))

    def anonymized(self, strategy):
        key, events = self.folder / "key", self.folder / "events.jsonl"
        drawn = base64.b64encode(hashlib.sha256(b"recovered").digest()).decode()
        key.write_text(f"1 {drawn}\n")  # surrogates are the same each time; nothing here is secret
        key.chmod(0o600)
        write(events, treat.events({c["id"]: c for c in self.private}))
        clean = treat.treated(self.sotto, events, strategy, key)
        turns = lambda call: [{**u, "text": clean[call["id"]][seq][0]} for seq, u in enumerate(call["utterances"], 1)]
        return [{**c, "utterances": turns(c)} for c in self.private]


def pretrained(kind, seed):
    """A network that has read the generic calls."""
    rng = np.random.default_rng(seed)
    net = kind({w.lower() for w in DATA.vocabulary if kind is Net or w[0] != "["}, rng)
    return net.train(list(examples(net, DATA.generic)), PASSES if kind is Net else MASKED_PASSES, rng)


def recovered(technique):
    """The masked calls, and by row the calls with filled masks of each seed."""
    masked, generic = DATA.masked(technique), texts(DATA.generic)
    # A word that masking kept elsewhere is on its list, and cannot be what was masked.
    avoid = frozenset(w for t in texts(masked) for w in t) if technique != "entity" else frozenset()

    def fill(by, method, seed, known):
        return [recover(c, by, method=method, k=K, seed=seed, avoid=avoid, known=known) for c in masked]

    def tuned(filled):
        net = NETS[Masked, 0].copy()
        return Network(net.train(list(examples(net, filled)), TUNED_PASSES, np.random.default_rng(0)))

    trigrams, network = Model.train(generic, shared_words(DATA.generic, 5)[0]), NETS[Masked, 0]
    rows = {}
    for name, filler, known in (("trigrams", BuiltIn(trigrams), frozenset(trigrams.vocabulary)), ("network", Network(network), frozenset(network.words))):
        rows[f"Top-1, {name}"] = [fill(filler, "top1", 0, known)] * SEEDS
        rows[f"Top-10, {name}"] = [fill(filler, "topk", seed, known) for seed in range(SEEDS)]
    rows["Top-10, network, fine-tuned"] = [fill(tuned(filled), "topk", seed, known) for seed, filled in enumerate(rows["Top-10, network"])]
    return technique, masked, rows


def measured(job):
    """A row with the perplexity and the score of the task on the test calls."""
    row, seed, calls, unlearned = job
    net = NETS[Net, seed].copy()
    if calls:
        net.train(list(examples(net, calls, unlearned)), ADAPTED, np.random.default_rng(seed))
    return row, [perplexity(net, DATA.test), speaker(calls, DATA.test) if calls and not unlearned else None]


def jobs(treated):
    for seed in range(SEEDS):
        yield ("", "no adaptation"), seed, None, ()
        yield ("", "raw"), seed, DATA.private, ()
        for technique, masked, rows in treated:
            yield (technique, "masks learned"), seed, masked, ()
            yield (technique, "masks without weight"), seed, masked, (MASK,)
            yield (technique, "masks removed"), seed, list(map(without_masks, masked)), ()
            for name, by_seed in rows.items():
                yield (technique, name), seed, by_seed[seed], ()
        for name, calls in DATA.tagged.items():
            yield ("", name), seed, calls, ()
        filled = [recover(c, None, seed=seed, tags=DATA.words) for c in DATA.tagged["numbered tags"]]
        yield ("", "numbered tags, filled from a table"), seed, filled, ()
        tags = tuple(w for w in DATA.vocabulary if w[0] == "[")
        yield ("", "numbered tags without weight"), seed, DATA.tagged["numbered tags"], tags


def main(sotto, plot, *files):
    global DATA, NETS  # of the processes, too, which are forked
    with tempfile.TemporaryDirectory() as folder:
        DATA = Data(sotto, folder, files)
        wanted = [(Masked, 0), *((Net, seed) for seed in range(SEEDS))]
        with ProcessPoolExecutor() as pool:
            NETS = dict(zip(wanted, pool.map(pretrained, *zip(*wanted))))
        with ProcessPoolExecutor() as pool:
            treated = list(pool.map(recovered, TECHNIQUES))
        found = {}
        with ProcessPoolExecutor() as pool:
            for row, figures in pool.map(measured, jobs(treated)):
                found.setdefault(row, []).append(figures)
    size = lambda calls: f"{len(calls)} calls with {sum(map(len, texts(calls)))} words"
    print(f"generic: {size(DATA.generic)}; private: {size(DATA.private)}; to test on: {size(DATA.test)}")
    print(f"a vocabulary of {len(DATA.vocabulary)} words, {SEEDS} seeds")
    print("\n".join(report.tables(found, TECHNIQUES)))
    pathlib.Path(plot).write_text(report.svg(found, TECHNIQUES), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
