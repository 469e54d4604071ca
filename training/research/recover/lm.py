"""An n-gram language model: interpolated Kneser-Ney of order 3, with scores from both sides of a word.

It is small and deterministic and needs no accelerator; it is no match for a neural model.
"""

import hashlib
import json
import math
import os
import re
from collections import Counter, defaultdict

MASK = "[MASK]"
UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
FREQUENT, PER_SIDE = 100, 500  # words that are looked at for one place
SURE = 12  # as many sequences of three words of a call are in a model by chance only if it has learned nearly the same

_WORD = re.compile(r"\[[A-Z][A-Z0-9_]*\]|[^\W_]+(?:['’][^\W_]+)*")


def words(text):
    """The words of a text in lower case. A marker such as [MASK] is one word."""
    return [w if w[0] == "[" else w.lower() for w in _WORD.findall(text)]


def _hash(call_id):
    return hashlib.sha256(call_id.encode()).hexdigest()[:16]


def _discount(counts):
    """The discount of absolute discounting, from how many counts are one and two."""
    by = Counter(counts)
    return by[1] / (by[1] + 2 * by[2]) if by[1] else 0.5


class Model:
    """A language model of trigrams, which are counted in texts of words."""

    def __init__(self, vocabulary, trigrams, calls=()):
        self.vocabulary = sorted({*vocabulary, MASK})
        self.trigrams, self.calls = trigrams, set(calls)
        self._known = {UNKNOWN, BEGIN, END, *self.vocabulary}
        # Bigrams and words count in how many contexts they occur, which makes the model a Kneser-Ney one.
        self._bigrams = Counter((v, w) for _, v, w in trigrams)
        unigrams = Counter(w for _, w in self._bigrams)
        self._after2, self._after1 = defaultdict(list), defaultdict(list)
        self._sum2, self._sum1 = Counter(), Counter()
        self._before = defaultdict(list)
        for (u, v, w), n in sorted(trigrams.items()):
            self._after2[u, v].append(w)
            self._sum2[u, v] += n
        for (v, w), n in sorted(self._bigrams.items()):
            self._after1[v].append(w)
            self._before[w].append(v)
            self._sum1[v] += n
        self._d = [_discount(c.values()) for c in (unigrams, self._bigrams, trigrams)]
        base = 1 / (len(self._known) - 1)  # nothing is followed by the begin of a text
        contexts, distinct = sum(unigrams.values()), len(unigrams)
        self._word = {}
        for w in self._known - {BEGIN}:
            p = base
            if contexts:
                p = max(unigrams[w] - self._d[0], 0) / contexts + self._d[0] * distinct / contexts * base
            self._word[w] = p
        self._word[BEGIN] = 0
        self._frequent = sorted(self._word, key=lambda w: (-self._word[w], w))[:FREQUENT]

    @classmethod
    def train(cls, texts, vocabulary, calls=()):
        """Learns from texts. A word that the vocabulary lacks is unknown."""
        known, trigrams = {MASK, *vocabulary}, Counter()
        for text in texts:
            u = v = BEGIN
            for w in [*(w if w in known else UNKNOWN for w in text), END]:
                trigrams[u, v, w] += 1
                u, v = v, w
        return cls(vocabulary, trigrams, map(_hash, calls))

    def write(self, f):
        trigrams = sorted([*k, n] for k, n in self.trigrams.items())
        json.dump({"words": self.vocabulary, "calls": sorted(self.calls), "trigrams": trigrams}, f)

    @classmethod
    def open(cls, path):
        try:
            with open(path, encoding="utf-8") as f:
                d = json.load(f)
            return cls(d["words"], Counter({(u, v, w): n for u, v, w, n in d["trigrams"]}), d["calls"])
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path} is not a language model of 'recover.py lm', or a damaged one") from None

    def trained_on(self, call_id, turns=()):
        """Whether the model has learned a call: its ID, or all that its turns still say, three words after each other."""
        if _hash(call_id) in self.calls:
            return True
        said = [t for turn in turns for t in zip(turn, turn[1:], turn[2:]) if not any(w[0] == "[" for w in t)]
        return len(said) >= SURE and all((self._id(u), self._id(v), self._id(w)) in self.trigrams for u, v, w in said)

    def prob(self, u, v, w):
        """The probability of w after u and v."""
        p = self._word[w]
        if total := self._sum1.get(v):
            p = max(self._bigrams.get((v, w), 0) - self._d[1], 0) / total + self._d[1] * len(self._after1[v]) / total * p
        if total := self._sum2.get((u, v)):
            p = max(self.trigrams.get((u, v, w), 0) - self._d[2], 0) / total + self._d[2] * len(self._after2[u, v]) / total * p
        return p

    def fill(self, left, right, k):
        """The k best words between left and right, the best first, by their probabilities from both sides."""
        left = [BEGIN, BEGIN, *(self._id(w) for w in left)]
        right = [*(self._id(w) for w in right), END, END]
        u, v, r1, r2 = left[-2], left[-1], right[0], right[1]
        found = {*self._frequent, *self._after2.get((u, v), ())}
        found.update(self._after1.get(v, [])[:PER_SIDE], self._before.get(r1, [])[:PER_SIDE])
        scores = []
        for w in found:
            if w in (UNKNOWN, BEGIN, END) or w[0] == "[":
                continue
            p = [self.prob(u, v, w), self.prob(v, w, r1)] + ([self.prob(w, r1, r2)] if r1 != END else [])
            scores.append((-sum(math.log(max(x, 1e-30)) for x in p), w))
        return [w for _, w in sorted(scores)[:k]]

    def _id(self, w):
        return w if w in self._known else UNKNOWN


def write_file(path, write):
    """Writes a file that only its owner can read, or to standard output for "-"."""
    fd = os.dup(1) if path == "-" else os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with open(fd, "w", encoding="utf-8") as f:
        write(f)
