"""Trains the second reader (detectors/ner/reread) on what 'extract' wrote, and writes its model.

    python train.py --calls first.bin second.bin --dev dev.bin -o model.bin

It prints, after each pass over the calls, which share of the characters that the live reading left is found on
dev when so many in a thousand of the other words are masked. Equal input and seed give an equal model on one
machine with one thread. With a graphics card it takes two minutes instead of an hour.
"""
import argparse

import network
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

FACTS = 19
WORD, MASK = 0, 18
SIZES = [0, 4097, 1025, 65, 32, 8, 8, 8, 256, 16, 2, 16, 1024, 512, 2048, 2048, 12, 2, 15]
KINDS = 15
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
PERSONAL = range(1, 14)
# What is hidden at random, so that no single fact is relied on.
HIDDEN = [1, 2, 3, 5, 6, 7, 8, 11, 12, 13, 14, 15]


def load(path):
    return np.fromfile(path, dtype=np.uint32).reshape(-1, 6 + FACTS)


def bounds(rows):
    key = rows[:, 0].astype(np.int64) * 16 + rows[:, 1]
    return np.r_[0, np.flatnonzero(np.diff(key)) + 1, len(rows)]


class Network(nn.Module):
    def __init__(self, sizes, width, distances, drop):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(n, width) for n in sizes])
        for k, t in enumerate(self.tables):
            nn.init.normal_(t.weight, 0, 0.3 if k == MASK else 0.1)
        self.bias = nn.Parameter(torch.zeros(width))
        self.layers = nn.ModuleList([nn.Conv1d(width, width, 3, padding=d, dilation=d) for d in distances])
        for c in self.layers:
            nn.init.normal_(c.weight, 0, 0.6 / (3 * width) ** 0.5)
        self.last = nn.Linear(width, KINDS)
        self.drop = nn.Dropout(drop)

    def forward(self, x, valid):
        masked = x[:, :, MASK] > 0
        words = sum(t(x[:, :, k]) for k, t in enumerate(self.tables) if k != MASK)
        h = self.drop(words) * (valid & ~masked).unsqueeze(-1) + self.tables[MASK](x[:, :, MASK])
        h = F.relu(h + self.bias).transpose(1, 2)
        inside = valid.unsqueeze(1)
        for c in self.layers:
            h = h + self.drop(F.relu(c(self.drop(h) * inside)))
        return self.last(self.drop(h.transpose(1, 2)))


def padded(parts):
    n = max(len(p[0]) for p in parts)
    x = np.zeros((len(parts), n, FACTS), np.int64)
    y = np.full((len(parts), n), -100)
    valid = np.zeros((len(parts), n), bool)
    for i, (facts, label) in enumerate(parts):
        x[i, : len(facts)], y[i, : len(facts)], valid[i, : len(facts)] = facts, label, True
    return torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(valid)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--calls", nargs="+", required=True)
    p.add_argument("--dev", nargs="*", default=[])
    p.add_argument("-o", required=True)
    p.add_argument("--width", type=int, default=64)
    p.add_argument("--distances", type=int, nargs="+", default=[1, 2, 4, 8, 16, 1])
    p.add_argument("--passes", type=int, default=8)
    p.add_argument("--words", type=int, default=4, help="how often a word must occur to be known")
    p.add_argument("--rate", type=float, default=4e-3)
    p.add_argument("--drop", type=float, default=0.2)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    torch.manual_seed(a.seed)
    random = np.random.default_rng(a.seed)
    torch.set_num_threads(1)

    rows = load(a.calls[0])
    for path in a.calls[1:]:
        more = load(path)
        more[:, 0] += rows[-1, 0] + 1
        rows = np.concatenate([rows, more])
    first = rows[:, 1] == 0
    words, n = np.unique(rows[first, 6 + WORD], return_counts=True)
    words = words[(n >= a.words) & (words != 0)]
    sizes = [len(words) + 1] + SIZES[1:]
    print(len(words), "words,", len(rows), "rows")

    def facts(rows):
        f = rows[:, 6:].astype(np.int64)
        at = np.clip(np.searchsorted(words, f[:, WORD]), 0, len(words) - 1)
        f[:, WORD] = np.where(words[at] == f[:, WORD], at + 1, 0)
        return np.minimum(f, np.array(sizes) - 1).astype(np.int32)

    everything, ends = facts(rows), bounds(rows)
    variants = {}
    for lo, hi in zip(ends[:-1], ends[1:]):
        variants.setdefault(rows[lo, 0], []).append((lo, hi))
    calls = list(variants.values())
    lengths = np.array([v[0][1] - v[0][0] for v in calls])
    labels = rows[:, 5].astype(np.int64)

    net = Network(sizes, a.width, a.distances, a.drop).to(DEVICE)
    size = 16
    steps = a.passes * (len(calls) // size + 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=a.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, a.rate, total_steps=steps + 1, pct_start=0.1)

    def sample(call):
        lo, hi = variants_of(call)
        x, y = everything[lo:hi].copy(), labels[lo:hi].copy()
        y[x[:, MASK] > 0] = -100
        x[random.random(hi - lo) < 0.1, WORD] = 0
        for k in HIDDEN:
            x[random.random(hi - lo) < 0.06, k] = 0
        return x, y

    def variants_of(call):
        v = calls[call]
        return v[random.choice(len(v), p=[0.35, 0.25, 0.2, 0.2][: len(v)] if len(v) == 4 else None)]

    dev = [(path, r, facts(r), bounds(r)) for path in a.dev for r in [load(path)]]
    for k in range(a.passes):
        order = np.argsort(lengths + random.normal(0, 30, len(calls)))
        batches = [order[i : i + size] for i in range(0, len(order), size)]
        random.shuffle(batches)
        total = 0.0
        for b in batches:
            x, y, valid = (t.to(DEVICE) for t in padded([sample(c) for c in b]))
            loss = F.cross_entropy(net(x, valid).reshape(-1, KINDS), y.reshape(-1), ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.detach()
        print(f"pass {k + 1}: loss {total / len(batches):.4f}", flush=True)
        for path, r, f, e in dev:
            report(net, path, r, f, e)
        network.write(a.o, words, [t.weight for t in net.tables], net.bias, net.layers, net.last)


def report(net, path, rows, f, ends):
    net.eval()
    p = np.zeros(len(rows))
    with torch.no_grad():
        for lo, hi in zip(ends[:-1], ends[1:]):
            x, _, valid = padded([(f[lo:hi], np.zeros(hi - lo))])
            odds = F.softmax(net(x.to(DEVICE), valid.to(DEVICE)), -1)[0].cpu().numpy()
            p[lo:hi] = 1 - odds[:, 0] - odds[:, 14]
    net.train()
    left = f[:, MASK] == 0
    personal = np.isin(rows[:, 5], list(PERSONAL)) & left
    other = left & (rows[:, 5] == 0)
    width = (rows[:, 4] - rows[:, 3]).astype(np.int64)
    ordered = np.sort(p[other])[::-1]
    out = []
    for share in (1, 2, 4, 7, 10, 15):
        t = ordered[int(share / 1000 * other.sum())]
        out.append(f"{share}: {width[personal & (p > t)].sum() / width[personal].sum():.3f} ({t:.2f})")
    print(" ", path, "missed", width[personal].sum(), " ".join(out), flush=True)


if __name__ == "__main__":
    main()
