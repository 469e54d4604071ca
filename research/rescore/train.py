"""Trains the rescorer (detectors/ner/rescore.go) on what 'extract' wrote, and writes its network.

    PYTHONPATH=. python3 rescore/train.py --calls first.bin second.bin --copies first-lower.bin second-lower.bin \
        --dev dev.bin -o rescore.bin

It prints how many of the other words are masked, in percent, when as many characters of values are masked as by
the random field's probabilities from 0.05, 0.15 and 0.3 on: by these, and by the corrected ones. Equal input and seed
give an equal network on one machine with one thread. It takes some minutes.
"""
import argparse

import network
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

# The tables of detectors/ner/rescore.go: the facts, and the levels of the probabilities.
SIZES = [0, 1025, 65, 32, 8, 8, 8, 256, 16, 2, 16, 1024, 512, 15, 128, 2]
KINDS, LEVELS, UNKNOWN = 15, 11, 255
# The probabilities between which a word is rescored; LEVEL: see keep_level.
LEAST, MOST, LEVEL = 0.1, 0.85, 0.2
FACTS = len(SIZES)
# What is hidden at random, so that no single fact is relied on.
HIDDEN = [0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13]


def load(path):
    return np.fromfile(path, dtype=np.uint32).reshape(-1, 4 + FACTS + KINDS)


class Calls:
    """Calls as rows of the tables, all of which are one: row 0 is nothing."""

    def __init__(self, rows, words, first):
        f = rows[:, 4 : 4 + FACTS].astype(np.int64)
        at = np.clip(np.searchsorted(words, f[:, 0]), 0, len(words) - 1)
        f[:, 0] = np.where(words[at] == f[:, 0], at + 1, 0)
        f[:, 1:] = np.minimum(f[:, 1:], np.array(SIZES[1:]) - 1)
        # That a word is not known is a fact, that something else is not is none.
        self.facts = np.where((f > 0) | (np.arange(FACTS) == 0), f + first[:FACTS], 0).astype(np.int32)
        p = rows[:, 4 + FACTS :] / 1e6
        level = np.floor(-2 * np.log(np.maximum(p, 1e-9))).astype(np.int64)
        self.levels = np.where(level < LEVELS, first[FACTS] + 1 + np.arange(KINDS) * LEVELS + level, 0).astype(np.int32)
        self.odds = np.log(np.maximum(p, 1e-5)).astype(np.float32)
        self.bytes, self.kind = rows[:, 2].astype(np.int64), rows[:, 3].astype(np.int64)
        self.sure = self.kind != UNKNOWN
        self.kind[~self.sure] = -100
        turn = rows[:, 0].astype(np.int64) << 20 | rows[:, 1]
        self.turns = np.r_[0, np.flatnonzero(np.diff(turn)) + 1, len(rows)]
        begins = np.r_[0, np.flatnonzero(np.diff(rows[:, 0].astype(np.int64))) + 1, len(rows)]
        self.calls = np.searchsorted(self.turns, begins)

    def turns_apart(self, turns, gap):
        """The rows of some turns, with so many rows of nothing between them, and which are words."""
        n = self.turns[turns + 1] - self.turns[turns]
        at = np.zeros(int((n + gap).sum()), np.int64)
        word = np.zeros(len(at), np.float32)
        k = 0
        for t, length in zip(turns, n):
            at[k : k + length] = np.arange(self.turns[t], self.turns[t + 1])
            word[k : k + length] = 1
            k += length + gap
        return at, word


class Network(nn.Module):
    def __init__(self, rows, width, distances, drop):
        super().__init__()
        self.rows = nn.Embedding(rows, width, padding_idx=0)
        with torch.no_grad():
            self.rows.weight[1:].normal_(0, 0.1)
            self.rows.weight[0] = 0
        self.bias = nn.Parameter(torch.zeros(width))
        self.layers = nn.ModuleList([nn.Conv1d(width, width, 3, padding=d, dilation=d) for d in distances])
        for c in self.layers:
            nn.init.normal_(c.weight, 0, 0.6 / (3 * width) ** 0.5)
        self.last = nn.Linear(width, KINDS)
        nn.init.zeros_(self.last.weight)
        self.drop = nn.Dropout(drop)

    def forward(self, rows, odds, word):
        h = F.relu(self.drop(self.rows(rows).sum(1) + self.bias)).t().unsqueeze(0) * word
        for c in self.layers:
            h = h + self.drop(F.relu(c(self.drop(h)))) * word
        return self.last(self.drop(h[0].t())) + odds


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--calls", nargs="+", required=True)
    p.add_argument("--copies", nargs="+", default=[], help="the same calls, written in other ways: all files of --calls, once or more")
    p.add_argument("--dev", nargs="*", default=[])
    p.add_argument("-o", required=True)
    p.add_argument("--width", type=int, default=32)
    p.add_argument("--distances", type=int, nargs="+", default=[1, 2, 4])
    p.add_argument("--passes", type=int, default=4)
    p.add_argument("--words", type=int, default=20, help="how often a word must occur to be known")
    p.add_argument("--rate", type=float, default=4e-3)
    p.add_argument("--drop", type=float, default=0.12)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    torch.manual_seed(a.seed)
    random = np.random.default_rng(a.seed)
    torch.set_num_threads(1)

    words, n = np.unique(np.concatenate([load(x)[:, 4] for x in a.calls]), return_counts=True)
    words = words[(n >= a.words) & (words != 0)]
    sizes = [len(words) + 1] + SIZES[1:] + [1 + KINDS * LEVELS]
    first = np.concatenate([[1], 1 + np.cumsum(sizes)])
    written = [Calls(load(x), words, first) for x in a.calls]
    copies = [Calls(load(x), words, first) for x in a.copies]
    dev = [(x, Calls(load(x), words, first)) for x in a.dev]
    net = Network(first[-1], a.width, a.distances, a.drop)
    gap = max(a.distances)
    print(len(words), "words,", sum(len(c.kind) for c in written), "rows")

    calls = [(k, i) for k, c in enumerate(written) for i in range(len(c.calls) - 1)]
    size = 16
    optimizer = torch.optim.Adam(net.parameters(), lr=a.rate)
    steps = a.passes * (len(calls) // size + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, a.rate, total_steps=steps + 1, pct_start=0.1)
    for k in range(a.passes):
        order, total = random.permutation(len(calls)), 0.0
        for begin in range(0, len(order), size):
            parts = []
            for half, call in (calls[i] for i in order[begin : begin + size]):
                c = written[half]
                if copies and random.random() < 0.4:
                    c = copies[half + random.integers(len(copies) // len(written)) * len(written)]
                at, word = c.turns_apart(np.arange(c.calls[call], c.calls[call + 1]), gap)
                parts.append((c.facts[at], c.levels[at], c.odds[at], word, np.where(word > 0, c.kind[at], -100)))
            facts, levels, odds, word, kind = (np.concatenate(x) for x in zip(*parts))
            for f in HIDDEN:
                facts[random.random(len(facts)) < 0.06, f] = first[0] if f == 0 else 0
            rows = torch.from_numpy(np.concatenate([facts, levels], 1)).long()
            out = net(rows, torch.from_numpy(odds), torch.from_numpy(word))
            loss = F.cross_entropy(out, torch.from_numpy(kind), ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"pass {k + 1}: loss {total / (len(order) // size + 1):.4f}", flush=True)
        for path, c in dev:
            report(net, path, c, gap)
    keep_level(net, written[0], gap)
    tables = [net.rows.weight[first[t] : first[t + 1]] for t in range(FACTS + 1)]
    network.write(a.o, words, tables, net.bias, net.layers, net.last)


def corrected(net, c, turns, gap):
    """The log odds of the kinds by the network, for the words of some turns."""
    out = []
    net.eval()
    with torch.no_grad():
        for begin in range(0, len(turns), 500):
            at, word = c.turns_apart(turns[begin : begin + 500], gap)
            rows = torch.from_numpy(np.concatenate([c.facts[at], c.levels[at]], 1)).long()
            out.append(net(rows, torch.from_numpy(c.odds[at]), torch.from_numpy(word))[word > 0])
    net.train()
    return torch.cat(out)


def masked(odds):
    """The probability of being masked, from log odds."""
    p = F.softmax(odds, -1).numpy()
    return 1 - p[:, 0] - p[:, 14]


def keep_level(net, c, gap):
    """Moves the bias of the kinds that are masked, so that as many words as before have LEVEL or more: thresholds then
    mean the same after another training."""
    turns = np.arange(c.calls[min(1500, len(c.calls) - 1)])
    odds = corrected(net, c, turns, gap)
    before = masked(torch.from_numpy(c.odds[: len(odds)]))
    unsure = (before >= LEAST) & (before <= MOST)
    want, lo, hi = (before[unsure] >= LEVEL).sum(), -4.0, 4.0
    for _ in range(30):
        shift = torch.zeros(KINDS)
        shift[1:14] = (lo + hi) / 2
        if (masked(odds[unsure] + shift) >= LEVEL).sum() < want:
            lo = (lo + hi) / 2
        else:
            hi = (lo + hi) / 2
    print(f"bias of the kinds that are masked: {lo:+.2f}")
    with torch.no_grad():
        net.last.bias += shift


def report(net, path, c, gap):
    before = masked(torch.from_numpy(c.odds))
    after = masked(corrected(net, c, np.arange(len(c.turns) - 1), gap))
    after = np.where((before >= LEAST) & (before <= MOST), after, before)
    value, other = (c.kind > 0) & (c.kind < 14), c.sure & (c.kind == 0)
    out = []
    for t in (0.05, 0.15, 0.3):
        need = c.bytes[value & (before >= t)].sum()
        order = np.argsort(-after[value])
        same = after[value][order][np.searchsorted(np.cumsum(c.bytes[value][order]), need)]
        share = [100 * (other & (x >= y)).sum() / other.sum() for x, y in ((before, t), (after, same))]
        out.append(f"{need / c.bytes[value].sum():.4f}: {share[0]:.2f} -> {share[1]:.2f}")
    print(" ", path, "; ".join(out), flush=True)


if __name__ == "__main__":
    main()
