"""Trains small transformers for the experiments on training data.

    python neural.py DATA RESULTS

`go run ./hack/experiments -dump DATA` writes DATA, and its flag -neural reads RESULTS. Everything runs
on one thread of the CPU; SMALL=1 in the environment is for a test of the script.
"""

import json
import math
import os
import random
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

SMALL = bool(os.environ.get("SMALL"))
SEEDS = (1,) if SMALL else (1, 2, 3)
WIDTH, LAYERS, HEADS, CONTEXT, BATCH = 64, 2, 4, 64, 16
PRETRAIN_EPOCHS = 1 if SMALL else 3
FILLER_EPOCHS = 1 if SMALL else 6
ADAPT_EPOCHS = 1 if SMALL else 3
# Privacy is measured after these numbers of epochs.
EFFORTS = (1,) if SMALL else (8, 32, 64)
TOP_K = 10

TURN, CALL, UNKNOWN = "<turn>", "<call>", "<unk>"
UNKNOWN_NUMBER = 2


def say(text):
    print(f"{time.process_time():6.0f} s: {text}", file=sys.stderr, flush=True)


class Words:
    """The vocabulary: all words of the private calls, and those that the generic ones have three times."""

    def __init__(self, data):
        counts = {}
        for call in data["generic"]:
            for turn in call:
                for word in turn:
                    counts[word] = counts.get(word, 0) + 1
        known = {w for w, n in counts.items() if n > 2}
        known.update(w for call in data["private"] for turn in call for w in turn)
        known.add(data["pseudonym"])
        self.list = [TURN, CALL, UNKNOWN, data["mask"]] + sorted(known - {data["mask"]})
        self.number = {w: i for i, w in enumerate(self.list)}
        self.turn, self.call, self.unknown, self.mask = 0, 1, UNKNOWN_NUMBER, 3

    def of(self, words):
        return [self.number.get(w, self.unknown) for w in words]

    def stream(self, calls):
        """Returns the calls as one list of numbers, and which call each of them belongs to."""
        tokens, owner = [], []
        for n, call in enumerate(calls):
            part = [self.call]
            for turn in call:
                part += self.of(turn) + [self.turn]
            tokens += part
            owner += [n] * len(part)
        return torch.tensor(tokens), torch.tensor(owner)


class Transformer(nn.Module):
    """A transformer with the same weights for input and output. A causal one predicts the next word, a
    masked one the word that stands at a mask."""

    def __init__(self, vocabulary, causal):
        super().__init__()
        self.causal = causal
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.places = nn.Embedding(CONTEXT, WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, 0.1, "gelu", batch_first=True, norm_first=True)
            for _ in range(LAYERS)
        )
        self.norm = nn.LayerNorm(WIDTH)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        for table in (self.words, self.places):
            nn.init.normal_(table.weight, std=0.02)

    def hidden(self, x, padding=None):
        h = self.words(x) + self.places(torch.arange(x.shape[1]))
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1]) if self.causal else None
        for layer in self.layers:
            h = layer(h, src_mask=mask, src_key_padding_mask=padding, is_causal=self.causal)
        return self.norm(h)

    def scores(self, hidden):
        return F.linear(hidden, self.words.weight, self.bias)


def blocks(tokens, weights, overlap=0):
    """Cuts a stream into inputs, the words that follow them, and the weights of those."""
    step = CONTEXT - overlap
    for at in range(0, len(tokens) - 1, step):
        x, y = tokens[at : at + CONTEXT], tokens[at + 1 : at + CONTEXT + 1]
        yield x[: len(y)], y, weights[at + 1 : at + CONTEXT + 1]


def batches(items, shuffle):
    items = list(items)
    if shuffle:
        random.shuffle(items)
    full = [i for i in items if len(i[0]) == CONTEXT]
    rest = [i for i in items if len(i[0]) < CONTEXT]
    for at in range(0, len(full), BATCH):
        yield tuple(torch.stack(column) for column in zip(*full[at : at + BATCH]))
    for item in rest:
        yield tuple(column.unsqueeze(0) for column in item)


def optimizer(model, rate, steps):
    o = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    return o, torch.optim.lr_scheduler.LambdaLR(o, lambda step: max(0.0, 1 - step / steps))


def learn(model, tokens, weights, epochs, rate, after=None):
    """Trains a causal model. A token of weight 0 is context, and never what is to be predicted."""
    steps = epochs * (math.ceil(len(tokens) / CONTEXT / BATCH) + 1)
    o, schedule = optimizer(model, rate, steps)
    for epoch in range(1, epochs + 1):
        model.train()
        # Blocks begin elsewhere in each epoch.
        start = random.randrange(CONTEXT)
        for x, y, w in batches(blocks(tokens[start:], weights[start:]), shuffle=True):
            loss = F.cross_entropy(model.scores(model.hidden(x)).flatten(0, 1), y.flatten(), reduction="none")
            loss = (loss * w.flatten()).sum() / w.sum().clamp(min=1)
            o.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            o.step()
            schedule.step()
        if after:
            after(epoch)
    return model


@torch.no_grad()
def judge(model, tokens):
    """Returns for each token but the first its loss and the word that the model predicts instead. Half of
    the context is seen before a word counts."""
    model.eval()
    half = CONTEXT // 2
    losses, best = torch.zeros(len(tokens)), torch.zeros(len(tokens), dtype=torch.long)
    at = 0
    for x, y, _ in batches(blocks(tokens, torch.ones(len(tokens)), overlap=half), shuffle=False):
        scores = model.scores(model.hidden(x))
        loss = F.cross_entropy(scores.flatten(0, 1), y.flatten(), reduction="none").view(y.shape)
        for row in range(len(x)):
            skip = 0 if at == 0 else half
            begin = at * half + 1 + skip
            n = y.shape[1] - skip
            if n > 0:
                losses[begin : begin + n] = loss[row, skip:]
                best[begin : begin + n] = scores[row, skip:].argmax(-1)
            at += 1
    return losses[1:], best[1:]


def perplexity(model, tokens):
    """That of the words in the vocabulary. The private calls have no unknown word, so a model that learns
    from them no longer expects one: counting those would measure only that."""
    losses, _ = judge(model, tokens)
    return math.exp(losses[tokens[1:] != UNKNOWN_NUMBER].mean().item())


def ones(tokens):
    return torch.ones(len(tokens))


class Filler:
    """Fills masks with a masked model, from the left to the right, as Vats et al. do."""

    def __init__(self, words):
        self.words = words
        self.model = Transformer(len(words.list), causal=False)

    def train(self, tokens, epochs, rate):
        o, schedule = optimizer(self.model, rate, epochs * (math.ceil(len(tokens) / CONTEXT / BATCH) + 1))
        self.model.train()
        for _ in range(epochs):
            start = random.randrange(CONTEXT)
            for x, _, _ in batches(blocks(tokens[start:], ones(tokens[start:])), shuffle=True):
                chosen = (torch.rand(x.shape) < 0.15) & (x >= 4)
                if not chosen.any():
                    continue
                h = self.model.hidden(torch.where(chosen, self.words.mask, x))
                loss = F.cross_entropy(self.model.scores(h[chosen]), x[chosen])
                o.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                o.step()
                schedule.step()

    @torch.no_grad()
    def fill(self, calls, kept, k):
        """Fills the first mask of every turn at once, then the second ones, and so on. kept are words that
        no mask stands for."""
        self.model.eval()
        mask = self.words.mask
        turns = [merge(self.words.of(turn), mask) for call in calls for turn in call]
        forbidden = torch.zeros(len(self.words.list))
        forbidden[:4] = -math.inf
        avoided = torch.zeros(len(self.words.list), dtype=torch.bool)
        avoided[self.words.of(kept)] = True
        while True:
            open_turns = [t for t in turns if mask in t]
            if not open_turns:
                break
            for at in range(0, len(open_turns), 4 * BATCH):
                self.fill_first(open_turns[at : at + 4 * BATCH], forbidden, avoided, k)
        turns = iter(turns)
        return [[[self.words.list[n] for n in next(turns)] for _ in call] for call in calls]

    def fill_first(self, turns, forbidden, avoided, k):
        windows, places = [], []
        for t in turns:
            place = t.index(self.words.mask)
            start = max(0, min(place - CONTEXT // 2, len(t) + 2 - CONTEXT))
            framed = ([self.words.turn] + t + [self.words.turn])[start : start + CONTEXT]
            windows.append(framed)
            places.append(place + 1 - start)
        longest = max(map(len, windows))
        x = torch.tensor([w + [self.words.turn] * (longest - len(w)) for w in windows])
        padding = torch.tensor([[i >= len(w) for i in range(longest)] for w in windows])
        h = self.model.hidden(x, padding)[torch.arange(len(turns)), places]
        top = (self.model.scores(h) + forbidden).topk(TOP_K).indices
        for t, best in zip(turns, top.tolist()):
            preferred = [w for w in best if not avoided[w]] or best
            t[t.index(self.words.mask)] = preferred[0] if k == 1 else random.choice(preferred)


def merge(tokens, mask):
    return [t for i, t in enumerate(tokens) if t != mask or i == 0 or tokens[i - 1] != mask]


def copy(model, vocabulary):
    other = Transformer(vocabulary, model.causal)
    other.load_state_dict(model.state_dict())
    return other


def begin(seed):
    random.seed(seed)
    torch.manual_seed(seed)


class Experiments:
    def __init__(self, data):
        self.data = data
        self.words = Words(data)
        self.generic, _ = self.words.stream(data["generic"])
        self.private, self.private_call = self.words.stream(data["private"])
        self.test, self.test_call = self.words.stream(data["test"])
        self.direct = set(self.words.of(data["direct"]))
        self.indirect = set(self.words.of(data["indirect"]))
        begin(0)
        self.base = Transformer(len(self.words.list), causal=True)
        learn(self.base, self.generic, ones(self.generic), PRETRAIN_EPOCHS, 2e-3)
        say(f"pre-trained: perplexity {perplexity(self.base, self.test):.0f}")
        self.filler = Filler(self.words)
        self.filler.train(self.generic, FILLER_EPOCHS, 2e-3)
        say("trained the model that fills masks")

    def adapted(self, calls, skip_masks=False):
        """The perplexity of the pre-trained model after it has learned calls."""
        tokens, _ = self.words.stream(calls)
        weights = ones(tokens)
        if skip_masks:
            weights[tokens == self.words.mask] = 0
        model = copy(self.base, len(self.words.list))
        return perplexity(learn(model, tokens, weights, ADAPT_EPOCHS, 1e-3), self.test)

    def perplexities(self, seed, found):
        """Adds the perplexities of a seed to found, by row and technique."""
        begin(seed)
        original = self.adapted(self.data["private"])
        for technique, calls in self.data["masked"].items():
            kept = self.data["kept"][technique]
            top1, topk = self.filler.fill(calls, kept, 1), self.filler.fill(calls, kept, TOP_K)
            tuned = Filler(self.words)
            tuned.model.load_state_dict(self.filler.model.state_dict())
            tuned.train(self.words.stream(topk)[0], ADAPT_EPOCHS, 1e-3)
            again = tuned.fill(calls, kept, TOP_K)
            for row, value in (
                ("no adaptation", perplexity(self.base, self.test)),
                ("original text", original),
                ("masks learned (Baseline0)", self.adapted(calls)),
                ("masks without weight (Baseline1)", self.adapted(calls, skip_masks=True)),
                ("Top-1", self.adapted(top1)),
                ("Top-10", self.adapted(topk)),
                ("Top-10, fine-tuned", self.adapted(again)),
            ):
                found.setdefault(row, {}).setdefault(technique, []).append(value)
            say(f"seed {seed}, {technique}: {original:.1f}, {' '.join(f'{v[technique][-1]:.1f}' for v in found.values())}")

    def protected(self, protection):
        """The tokens to learn, and their weights."""
        tokens, weights = self.private.clone(), ones(self.private)
        hidden = set()
        if protection in ("direct", "both"):
            hidden |= self.direct
        if protection in ("indirect", "both"):
            hidden |= self.indirect
        for i, t in enumerate(self.private.tolist()):
            if t in hidden:
                weights[i] = 0
            if protection == "pseudonymised" and t in self.direct:
                tokens[i] = self.words.number[self.data["pseudonym"]]
        return tokens, weights

    def privacy(self, seed, found):
        """Adds the measurements of a seed to found."""
        for protection in ("none", "direct", "indirect", "both", "pseudonymised"):
            begin(seed)
            model = copy(self.base, len(self.words.list))
            tokens, weights = self.protected(protection)

            def measure(epoch, model=model, protection=protection):
                if epoch in EFFORTS:
                    found.append({"protection": protection, "epochs": epoch, "seed": seed} | self.measured(model))

            learn(model, tokens, weights, EFFORTS[-1], 2e-3, measure)
            say(f"seed {seed}, {protection}: privacy {found[-1]['privacy']:.3f}")

    def measured(self, model):
        """Privacy, utility and membership of a model."""
        inside, own = judge(model, self.private)
        outside, others = judge(model, self.test)
        proposed = set(own.tolist())
        kept = lambda identifiers: 1 - len(identifiers & proposed) / max(1, len(identifiers))
        leaked = (self.direct | self.indirect) & proposed
        return {
            "privacy": kept(self.direct | self.indirect),
            "direct": kept(self.direct),
            "indirect": kept(self.indirect),
            "own": (own == self.private[1:]).float().mean().item(),
            "others": (others == self.test[1:]).float().mean().item(),
            "auc": auc(by_call(inside, self.private_call), by_call(outside, self.test_call)),
            "inside": having(leaked, self.private, self.private_call),
            "outside": having(leaked, self.test, self.test_call),
        }


def by_call(losses, owner):
    """The mean loss of each call."""
    owner = owner[1:]
    sums = torch.zeros(int(owner.max()) + 1).index_add(0, owner, losses)
    return (sums / torch.bincount(owner)).tolist()


def auc(inside, outside):
    """The probability that a call that was trained on is less surprising than one that was not."""
    return sum(x < y for x in inside for y in outside) / max(1, len(inside) * len(outside))


def having(leaked, tokens, owner):
    """The share of calls that say one of these words."""
    calls = {c for t, c in zip(tokens.tolist(), owner.tolist()) if t in leaked}
    return len(calls) / (int(owner.max()) + 1)


def main():
    torch.set_num_threads(1)
    with open(sys.argv[1], encoding="utf-8") as f:
        data = json.load(f)
    e = Experiments(data)
    say(f"{len(e.words.list)} words; {len(e.generic)}, {len(e.private)} and {len(e.test)} tokens")
    results = {
        "layers": LAYERS,
        "width": WIDTH,
        "heads": HEADS,
        "context": CONTEXT,
        "vocabulary": len(e.words.list),
        "parameters": sum(p.numel() for p in e.base.parameters()),
        "pretrain_epochs": PRETRAIN_EPOCHS,
        "filler_epochs": FILLER_EPOCHS,
        "adapt_epochs": ADAPT_EPOCHS,
        "calls": [len(data[part]) for part in ("generic", "private", "test")],
        "tokens": [len(e.generic), len(e.private), len(e.test)],
        "direct": len(e.direct),
        "indirect": len(e.indirect),
        "perplexity": {},
        "privacy": [],
    }
    for seed in SEEDS:
        e.perplexities(seed, results["perplexity"])
        e.privacy(seed, results["privacy"])
        results["seeds"] = seed
        with open(sys.argv[2] + ".new", "w", encoding="utf-8") as f:
            json.dump(results, f, indent=1)
            f.write("\n")
        os.replace(sys.argv[2] + ".new", sys.argv[2])  # after each seed, since they take long
    say("done")


if __name__ == "__main__":
    main()
