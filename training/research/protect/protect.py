#!/usr/bin/env python3
"""What do blacklists of n-grams and differentially private training do to small neural models? See docs/protect.md.

protect.py SOTTO FILE... trains a model of the next word, and one of masked words, on generic calls and then, protected in
several ways, on private ones, and audits them with sotto corpus audit-model, to which it serves them.
"""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import unicodedata

import numpy as np

sys.path.append(str(pathlib.Path(__file__).parents[1] / "recover"))

from lm import BEGIN, END, UNKNOWN  # noqa: E402
from serve import WORD, Token, server, url  # noqa: E402

GENERIC, PRIVATE, EPOCHS, GENERIC_EPOCHS = 200, 50, 30, 3
CONTEXT, WIDE, HIDDEN = 3, 32, 64
DELTA = 1 / PRIVATE
MASK = "<mask>"
PROTECTIONS = (("none", False, 0), ("direct", True, 0), ("blacklist, 1 word", False, 1), ("both, 1 word", True, 1),
               ("both, up to 3 words", True, 3))
FOLLOWED = "none", "both, 1 word"  # audited after each number of passes


class Net:
    """A feed-forward model of the next word after CONTEXT ones (Bengio et al. 2003), with the interface of serve.py."""

    name, symbols, after = "model of the next word", (BEGIN, END, UNKNOWN), 0
    ends = 1  # the weight of the end of a line
    share, passes = 1, (EPOCHS,)

    def __init__(self, vocabulary, rng):
        self.words = [*self.symbols, *sorted(vocabulary)]
        self.ids = {w: i for i, w in enumerate(self.words)}
        n, shapes = len(self.words), (((CONTEXT + self.after) * WIDE, HIDDEN), (HIDDEN, len(self.words)))
        self.p = [rng.normal(0, 0.1, (n, WIDE)), rng.normal(0, 0.1, shapes[0]), np.zeros(HIDDEN), rng.normal(0, 0.1, shapes[1]), np.zeros(n)]
        self.p = [x.astype(np.float32) for x in self.p]
        self.moments, self.steps = [[np.zeros_like(x) for x in self.p] for _ in range(2)], 0

    def copy(self):
        other = object.__new__(type(self))
        other.words, other.ids, other.p = self.words, self.ids, [x.copy() for x in self.p]
        other.moments, other.steps = [[np.zeros_like(x) for x in self.p] for _ in range(2)], 0
        return other

    def encode(self, text):
        """The words of a text with their contexts and places; the end of a line has no place."""
        contexts, following, places, at = [], [], [], 0
        for line in text.split("\n"):
            found = list(WORD.finditer(line))
            ids = [self.ids[BEGIN]] * CONTEXT + [self.ids.get(m[0].lower(), self.ids[UNKNOWN]) for m in found]
            ids += [self.ids[END]] * (1 + self.after)
            for i in range(len(found) + 1):
                contexts.append(ids[i:i + CONTEXT] + ids[i + CONTEXT + 1:i + CONTEXT + 1 + self.after])
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
            shown, chosen = self.choose(contexts, learned)
            for part in (chosen[i:i + batch] for i in range(0, len(chosen), batch)):
                self.step(self.gradient(shown[part], following[part], weights[part] / len(part)))
        return self

    def choose(self, contexts, learned):
        """The contexts as the model sees them in a pass, and the places of the words that it predicts."""
        return contexts, learned

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


class Masked(Net):
    """The same as a model of a masked word, from CONTEXT words before it and as many after it."""

    name, symbols, after = "model of masked words", (BEGIN, END, UNKNOWN, MASK), CONTEXT
    ends = 0
    share, passes = 0.15, (4, 8, 16, 30, 64, 200)  # in 200 passes, words are predicted as often as by Net in 30

    def choose(self, contexts, learned):
        """Masks the first words of those to learn, which have been shuffled, also in the contexts of each other."""
        chosen = learned[:round(self.share * len(learned))]
        hidden = np.zeros(len(contexts) + 2 * CONTEXT, bool)
        hidden[chosen + CONTEXT] = True
        slots = [i for i in range(2 * CONTEXT + 1) if i != CONTEXT]
        near = hidden[np.arange(len(contexts))[:, None] + slots]
        near &= ~np.isin(contexts, [self.ids[BEGIN], self.ids[END]])  # these stand for words of another line
        return np.where(near, self.ids[MASK], contexts), chosen

    def write(self, prompt, length):
        return ""  # it fills masks, and continues nothing


def epsilon(noise, share, steps):
    """Epsilon of DP-SGD at DELTA, by Renyi divergence of the sampled Gaussian mechanism (Mironov et al. 2019)."""
    def bound(a):
        terms = [math.lgamma(a + 1) - math.lgamma(k + 1) - math.lgamma(a - k + 1) + (a - k) * math.log(1 - share) + k * math.log(share)
                 + (k * k - k) / (2 * noise ** 2) for k in range(a + 1)]
        top = max(terms)
        return steps * (top + math.log(sum(math.exp(t - top) for t in terms))) / (a - 1) + math.log(1 / DELTA) / (a - 1)
    return min(bound(a) for a in range(2, 128))


def plain(text):
    """A text as a blacklist has it: in lower case and without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.lower().replace("’", "'")) if not unicodedata.combining(c))


def read_calls(path):
    """The calls of JSON lines as texts, with the places of the labelled values."""
    calls = []
    for line in path.read_text(encoding="utf-8").splitlines():
        text, spans = "", []
        for u in json.loads(line)["utterances"]:
            spans += [(len(text) + e["start"], len(text) + e["end"]) for e in u.get("entities", ())]
            text += u["text"] + "\n"
        calls.append((text.rstrip("\n"), spans))
    return calls


def weights(call, places, blacklist=(), direct=False, ngrams=0, ends=1):
    """1 for each word to learn, 0 for one of an identifier: of a labelled value, or of n-grams of the blacklist."""
    text, spans = call
    words = [plain(text[p[0]:p[1]]) if p else "\n" for p in places]
    out = np.array([1 if p else ends for p in places], np.float32)
    for i, p in enumerate(places):
        if p and direct and any(a < p[1] and p[0] < b for a, b in spans):
            out[i] = 0
        for n in range(1, ngrams + 1):
            if " ".join(words[i:i + n]) in blacklist:
                out[i:i + n] = 0
    return out


def examples(net, calls, *protection):
    """Calls as a model takes them to train."""
    coded = [net.encode(call[0]) for call in calls]
    return [(c, f, weights(call, places, *protection, ends=net.ends)) for call, (c, f, places) in zip(calls, coded)]


def accuracy(net, calls):
    tokens = [t.same for call in calls for t in net.read(call[0])]
    return sum(tokens) / len(tokens)


class Data:
    """Generic, private and other calls, and the blacklist of all, in the files of a folder."""

    def __init__(self, sotto, folder, files):
        self.sotto, self.folder = sotto, pathlib.Path(folder)
        lines = subprocess.run([sotto, "corpus", "convert", *files], check=True, capture_output=True).stdout.splitlines()
        random.Random(1).shuffle(lines)
        at, paths = 0, []
        for name, n in (("generic", GENERIC), ("private", PRIVATE), ("others", PRIVATE)):
            paths.append(self.folder / name)
            paths[-1].write_bytes(b"\n".join(lines[at:at + n]) + b"\n")
            at += n
        self.generic, self.private, self.others = map(read_calls, paths)
        subprocess.run([sotto, "corpus", "blacklist", *paths, "-n", "3", "-o", self.folder / "list"], check=True, capture_output=True)
        self.blacklist = set((self.folder / "list").read_text(encoding="utf-8").splitlines()[1:])

    def audit(self, net):
        """The report of sotto corpus audit-model on a model."""
        s = server(net)
        threading.Thread(target=s.serve_forever, args=(0.01,), daemon=True).start()
        try:
            args = [f"--{name}={self.folder / file}" for name, file in (("members", "private"), ("others", "others"), ("blacklist", "list"))]
            done = subprocess.run([self.sotto, "corpus", "audit-model", "--json", f"--url={url(s)}", *args], check=True, stdout=subprocess.PIPE)
        finally:
            s.shutdown()
            s.server_close()
        return json.loads(done.stdout)


def row(name, passes, net, learned, data, dp="-"):
    r = data.audit(net)
    cells = [accuracy(net, data.private), accuracy(net, data.others), r["privacy"], r["privacy_direct"], r["privacy_indirect"]]
    cells = [name, passes, dp, f"{learned:.0%}", *(f"{c:.3f}" for c in (*cells, r["low_cost_attack_f1"], r["loss_attack_auc"]))]
    cells.append(", ".join(str(r[f"identifying_{n}_grams"]) for n in (1, 2, 3)) if r["words_of_outputs"] else "-")
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def compare(kind, data):
    """Prints a table of a kind of model with each protection; returns what DP-SGD starts from."""
    rng = np.random.default_rng(0)
    base = kind({m[0].lower() for call in data.generic + data.private for m in WORD.finditer(call[0])}, rng)
    base.train(examples(base, data.generic), round(GENERIC_EPOCHS / kind.share), rng)
    count = lambda examples: int(sum(w.sum() for _, _, w in examples))
    possible = count(examples(base, data.private))
    print(f"\n{kind.name}: {len(base.words)} words, {sum(x.size for x in base.p)} parameters, {possible} words to learn\n\n"
          "| protection | passes | epsilon | words learned | accuracy on its own calls | on other calls | privacy | direct "
          "| indirect | F1 of the low-cost attack | AUC of the loss | n-grams of 1, 2 and 3 words in outputs |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    row("not trained on the calls", 0, base, 0, data, "0")
    for name, direct, n in PROTECTIONS:
        net, learned, done = base.copy(), examples(base, data.private, data.blacklist, direct, n), 0
        for passes in kind.passes if name in FOLLOWED else kind.passes[-1:]:
            net.train(learned, passes - done, rng)
            done = passes
            row(name, passes, net, count(learned) / possible, data)
    return base, rng


def main(sotto, *files):
    with tempfile.TemporaryDirectory() as folder:
        data = Data(sotto, folder, files)
        print(f"{len(data.generic)} generic calls, {len(data.private)} private ones, {len(data.others)} others")
        base, rng = compare(Net, data)
        for noise in (0.5, 1.0):
            net = base.copy()
            steps = net.train_privately(examples(base, data.private), EPOCHS, rng, noise)
            row(f"DP-SGD, noise {noise}", EPOCHS, net, 1, data, f"{epsilon(noise, 0.1, steps):.1f}")
        compare(Masked, data)


if __name__ == "__main__":
    main(*sys.argv[1:])
