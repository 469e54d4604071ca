#!/usr/bin/env python3
"""What do blacklists of n-grams and differentially private training do to a small neural model? See docs/protect.md.

protect.py SOTTO FILE... trains a model of the next word on generic calls and then, protected in several ways, on private
ones, and audits it as audit/audit.py does.
"""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / folder) for folder in ("audit", "recover")]

from audit import WORD, Token, audit, plain, read_calls  # noqa: E402
from lm import BEGIN, END, UNKNOWN  # noqa: E402

GENERIC, PRIVATE, EPOCHS, GENERIC_EPOCHS = 200, 50, 30, 3
CONTEXT, WIDE, HIDDEN = 3, 32, 64
DELTA = 1 / PRIVATE


class Net:
    """A feed-forward model of the next word after CONTEXT ones (Bengio et al. 2003), with the interface of audit.py."""

    def __init__(self, vocabulary, rng):
        self.words = [BEGIN, END, UNKNOWN, *sorted(vocabulary)]
        self.ids = {w: i for i, w in enumerate(self.words)}
        n, shapes = len(self.words), ((CONTEXT * WIDE, HIDDEN), (HIDDEN, len(self.words)))
        self.p = [rng.normal(0, 0.1, (n, WIDE)), rng.normal(0, 0.1, shapes[0]), np.zeros(HIDDEN), rng.normal(0, 0.1, shapes[1]), np.zeros(n)]
        self.p = [x.astype(np.float32) for x in self.p]
        self.moments, self.steps = [[np.zeros_like(x) for x in self.p] for _ in range(2)], 0

    def copy(self):
        other = object.__new__(Net)
        other.words, other.ids, other.p = self.words, self.ids, [x.copy() for x in self.p]
        other.moments, other.steps = [[np.zeros_like(x) for x in self.p] for _ in range(2)], 0
        return other

    def encode(self, text):
        """The contexts and the next words of a text, and the places of the latter; the end of a line has none."""
        contexts, following, places, at = [], [], [], 0
        for line in text.split("\n"):
            found = list(WORD.finditer(line))
            ids = [self.ids[BEGIN]] * CONTEXT + [self.ids.get(m[0].lower(), self.ids[UNKNOWN]) for m in found] + [self.ids[END]]
            for i in range(len(found) + 1):
                contexts.append(ids[i:i + CONTEXT])
                following.append(ids[i + CONTEXT])
                places.append((at + found[i].start(), at + found[i].end()) if i < len(found) else None)
            at += len(line) + 1
        return np.array(contexts), np.array(following), places

    def forward(self, contexts):
        embedding, w, b, w2, b2 = self.p
        x = embedding[contexts].reshape(len(contexts), -1)
        h = np.tanh(x @ w + b)
        logits = h @ w2 + b2
        logits -= logits.max(axis=1, keepdims=True)
        np.exp(logits, out=logits)
        return x, h, logits / logits.sum(axis=1, keepdims=True)

    def gradient(self, contexts, following, weights):
        x, h, d = self.forward(contexts)
        d[np.arange(len(d)), following] -= 1
        d *= weights[:, None]
        dh = (d @ self.p[3].T) * (1 - h * h)
        embedding = np.zeros_like(self.p[0])
        np.add.at(embedding, contexts.ravel(), (dh @ self.p[1].T).reshape(-1, WIDE))
        return [embedding, x.T @ dh, dh.sum(axis=0), h.T @ d, d.sum(axis=0)]

    def step(self, gradient, rate=0.003):
        """A step of Adam."""
        self.steps += 1
        for x, g, m, v in zip(self.p, gradient, *self.moments):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            x -= rate * (m / (1 - 0.9 ** self.steps)) / (np.sqrt(v / (1 - 0.999 ** self.steps)) + 1e-8)

    def train(self, examples, epochs, rng, batch=256):
        """Learns words; those with weight 0 are left out."""
        contexts, following, weights = (np.concatenate(x) for x in zip(*examples))
        learned = np.flatnonzero(weights)
        for _ in range(epochs):
            rng.shuffle(learned)
            for part in (learned[i:i + batch] for i in range(0, len(learned), batch)):
                self.step(self.gradient(contexts[part], following[part], weights[part] / len(part)))
        return self

    def train_privately(self, examples, epochs, rng, noise, share=0.1, clip=1.0):
        """DP-SGD (Abadi et al. 2016) with a call as an example; returns the steps."""
        steps = round(epochs / share)
        for _ in range(steps):
            total = [np.zeros_like(x) for x in self.p]
            for contexts, following, weights in (e for e in examples if rng.random() < share):
                gradient = self.gradient(contexts, following, weights / len(weights))
                norm = math.sqrt(sum(float((g * g).sum()) for g in gradient))
                for t, g in zip(total, gradient):
                    t += g * min(1, clip / norm)
            scale = 1 / (share * len(examples))
            self.step([(t + rng.normal(0, noise * clip, t.shape).astype(np.float32)) * scale for t in total])
        return steps

    def read(self, text):
        contexts, following, places = self.encode(text)
        p = self.forward(contexts)[2]
        best = p.argmax(axis=1)
        logs = np.log(p[np.arange(len(p)), following] + 1e-30)
        return [Token(*place, float(log), self.words[b], b == f != self.ids[UNKNOWN])
                for place, log, b, f in zip(places, logs, best, following) if place]

    def write(self, prompt, length):
        line = [self.ids[BEGIN]] * CONTEXT + [self.ids.get(m[0].lower(), self.ids[UNKNOWN]) for m in WORD.finditer(prompt.split("\n")[-1])]
        out = []
        while len(out) < length:
            line.append(int(self.forward(np.array([line[-CONTEXT:]]))[2][0].argmax()))
            if self.words[line[-1]] == END:
                line = [self.ids[BEGIN]] * CONTEXT  # the next turn
                out.append("\n")
            else:
                out.append(self.words[line[-1]])
        return " ".join(out)


def epsilon(noise, share, steps):
    """Epsilon of DP-SGD at DELTA, by Renyi divergence of the sampled Gaussian mechanism (Mironov et al. 2019)."""
    def bound(a):
        terms = [math.lgamma(a + 1) - math.lgamma(k + 1) - math.lgamma(a - k + 1) + (a - k) * math.log(1 - share) + k * math.log(share)
                 + (k * k - k) / (2 * noise ** 2) for k in range(a + 1)]
        top = max(terms)
        return steps * (top + math.log(sum(math.exp(t - top) for t in terms))) / (a - 1) + math.log(1 / DELTA) / (a - 1)
    return min(bound(a) for a in range(2, 128))


def weights(call, places, blacklist, direct, ngrams):
    """1 for each word to learn, 0 for one of an identifier: of a labelled value, or of n-grams of the blacklist."""
    text, spans = call
    words = [plain(text[p[0]:p[1]]) if p else "\n" for p in places]
    out = np.ones(len(words), np.float32)
    for i, p in enumerate(places):
        if p and direct and any(a < p[1] and p[0] < b for a, b in spans):
            out[i] = 0
        for n in range(1, ngrams + 1):
            if " ".join(words[i:i + n]) in blacklist:
                out[i:i + n] = 0
    return out


def accuracy(net, calls):
    tokens = [t.same for call in calls for t in net.read(call[0])]
    return sum(tokens) / len(tokens)


def row(name, net, learned, private, others, blacklist, dp="-"):
    report, _ = audit(net, private, others, blacklist)
    p, attack, loss, out = (report[k] for k in ("privacy", "low-cost attack", "attack by the loss", "outputs"))
    cells = [accuracy(net, private), accuracy(net, others), p["total"], p["direct"], p["indirect"], attack["f1"], loss["auc"]]
    print(f"| {name} | {dp} | {learned:.0%} | " + " | ".join(f"{c:.3f}" for c in cells) + " | "
          + ", ".join(str(out[f"identifying {n}-grams"]) for n in (1, 2, 3)) + " |", flush=True)


def main(sotto, *files):
    with tempfile.TemporaryDirectory() as d:
        lines = subprocess.run([sotto, "corpus", "convert", *files], check=True, capture_output=True).stdout.splitlines()
        random.Random(1).shuffle(lines)
        parts, at = [], 0
        for name, n in (("generic", GENERIC), ("private", PRIVATE), ("others", PRIVATE)):
            path = pathlib.Path(d) / name
            path.write_bytes(b"\n".join(lines[at:at + n]) + b"\n")
            parts.append(path)
            at += n
        out = pathlib.Path(d) / "list"
        subprocess.run([sotto, "corpus", "blacklist", *parts, "-n", "3", "-o", out], check=True, capture_output=True)
        blacklist = set(out.read_text(encoding="utf-8").splitlines()[1:])
        generic, private, others = map(read_calls, parts)
    rng = np.random.default_rng(0)
    base = Net({m[0].lower() for call in generic + private for m in WORD.finditer(call[0])}, rng)
    coded = [base.encode(call[0]) for call in private]
    base.train([(c, f, np.ones(len(f), np.float32)) for c, f, _ in (base.encode(call[0]) for call in generic)], GENERIC_EPOCHS, rng)
    print(f"{GENERIC} generic calls, {PRIVATE} private ones with {sum(len(f) for _, f, _ in coded)} words, {PRIVATE} others; {len(base.words)} words, "
          f"{sum(x.size for x in base.p)} parameters\n")
    print("| protection | epsilon | words learned | accuracy on its own calls | on other calls | privacy | direct | indirect | F1 of the low-cost attack "
          "| AUC of the loss | n-grams of 1, 2 and 3 words in outputs |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    row("not trained on the calls", base, 0, private, others, blacklist, "0")
    for name, direct, n in (("none", False, 0), ("direct", True, 0), ("blacklist, 1 word", False, 1), ("both, 1 word", True, 1), ("both, up to 3 words", True, 3)):
        w = [weights(call, places, blacklist, direct, n) for call, (_, _, places) in zip(private, coded)]
        net = base.copy().train([(c, f, x) for (c, f, _), x in zip(coded, w)], EPOCHS, rng)
        row(name, net, np.concatenate(w).mean(), private, others, blacklist)
    for noise in (0.5, 1.0):
        net = base.copy()
        steps = net.train_privately([(c, f, np.ones(len(f), np.float32)) for c, f, _ in coded], EPOCHS, rng, noise)
        row(f"DP-SGD, noise {noise}", net, 1, private, others, blacklist, f"{epsilon(noise, 0.1, steps):.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
