#!/usr/bin/env python3
"""Learns from the calls that treat.py wrote, and tests on raw and on treated ones. See docs/numbered.md.

A pretrained encoder answers all questions with one network: its lower layers stay as they are, and what they say of a text is
computed once; the upper ones and a head for each task are trained. Each finished run is a line of WORK/results.jsonl; a run that
is there is not done again, so the program goes on where it was interrupted.
"""

import argparse
import json
import os
import pathlib
import random
import time

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import torch.nn as nn
import torch.nn.functional as F
from transformers import AutoModel, AutoTokenizer

from items import rows
from scores import baselines, score
from treat import TREATMENTS, read

PIECES_OF_A_BATCH, RATE = 1024, 3e-4


class Net(nn.Module):
    """The layers that are trained, and a head for each task."""

    def __init__(self, layers, width, heads, purposes, acts):
        super().__init__()
        self.layers, self.heads = layers, heads
        self.purpose, self.next, self.who = nn.Linear(width, purposes), nn.Linear(width, acts), nn.Linear(width, 3)
        self.same = nn.Sequential(nn.Linear(3 * width, 128), nn.ReLU(), nn.Linear(128, 2))

    def forward(self, x, seen):
        return run(self.layers, self.heads, x, seen)


def run(layers, heads, x, seen):
    bias = torch.zeros(seen.shape, dtype=x.dtype).masked_fill(~seen, -1e4)[:, None, None, :].expand(-1, 1, x.shape[1], -1)
    for layer in layers:
        a = layer.attention.self
        q, k, v = (f(x).unflatten(-1, (heads, -1)).transpose(1, 2) for f in (a.query, a.key, a.value))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype)).transpose(1, 2).flatten(2)
        x = layer.attention.output(y, x)
        x = layer.output(layer.intermediate(x), x)
    return x


def batches(items):
    """Lists of items of similar length, each of about as many pieces."""
    batch = []
    for item in sorted(items, key=lambda i: len(i["pieces"])):
        if batch and (len(batch) + 1) * len(item["pieces"]) > PIECES_OF_A_BATCH:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


class Frozen:
    """What the embeddings and the lower layers say of texts."""

    def __init__(self, folder, trained):
        self.bert = AutoModel.from_pretrained(folder, add_pooling_layer=False).eval()
        self.heads, self.width = self.bert.config.num_attention_heads, self.bert.config.hidden_size
        self.below = self.bert.encoder.layer[:-trained]
        self.above = {k: v.clone() for k, v in self.bert.encoder.layer[-trained:].state_dict().items()}
        self.trained = trained

    @torch.no_grad()
    def read(self, items):
        for batch in batches(items):
            pieces = nn.utils.rnn.pad_sequence([torch.tensor(i["pieces"]) for i in batch], batch_first=True)
            x = run(self.below, self.heads, self.bert.embeddings(input_ids=pieces), pieces != 0)
            for item, states in zip(batch, x):
                item["states"] = states[:len(item["pieces"])].half()

    def net(self, purposes, acts):
        layers = self.bert.encoder.layer[-self.trained:]
        layers.load_state_dict(self.above)
        return Net(layers, self.width, self.heads, purposes, acts)


def answers(net, task, batch):
    """Logits and right answers, for each of the tasks that the texts of a batch have."""
    x = nn.utils.rnn.pad_sequence([i["states"] for i in batch], batch_first=True)
    seen = torch.arange(x.shape[1])[None] < torch.tensor([len(i["states"]) for i in batch])[:, None]
    x = net(x.float(), seen)
    if task != "persons":
        pooled = (x * seen[..., None]).sum(1) / seen.sum(1, keepdim=True)
        return {task: (getattr(net, task)(pooled), torch.tensor([i["label"] for i in batch]))}
    found = {}
    at = lambda n, i: x[n, slice(*batch[n]["places"][i])].mean(0)
    who = [(at(n, i), answer) for n, item in enumerate(batch) for i, answer, _ in item["who"]]
    same = [(at(n, i), at(n, j), answer) for n, item in enumerate(batch) for i, j, answer in item["same"]]
    if who:
        found["who"] = net.who(torch.stack([w[0] for w in who])), torch.tensor([w[1] for w in who])
    if same:
        a, b = (torch.stack([s[k] for s in same]) for k in (0, 1))
        found["same"] = net.same(torch.cat([a * b, (a - b).abs(), a + b], -1)), torch.tensor([s[2] for s in same])
    return found


def train(net, found, passes, seed):
    net.train()
    old, new = list(net.layers.parameters()), [p for n, p in net.named_parameters() if not n.startswith("layers")]
    optimizer = torch.optim.AdamW([dict(params=old, lr=RATE), dict(params=new, lr=5 * RATE)], weight_decay=0.01)
    drawn, steps = random.Random(seed), []
    for _ in range(passes):
        of = [(task, b) for task, items in found.items() for part in parts(items, drawn) for b in batches(part)]
        drawn.shuffle(of)
        steps += of
    for number, (task, batch) in enumerate(steps):
        for group, rate in zip(optimizer.param_groups, (RATE, 5 * RATE)):
            group["lr"] = rate * min(1, (number + 1) / 20) * (1 - number / len(steps))
        got = answers(net, task, batch)
        if not got:
            continue
        loss = sum(F.cross_entropy(logits, right) for logits, right in got.values())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    return len(steps)


def parts(items, drawn):
    """The items in random groups, so that a batch of similar lengths is another one in each pass."""
    items = drawn.sample(items, len(items))
    return [items[i:i + 128] for i in range(0, len(items), 128)]


@torch.no_grad()
def test(net, found):
    """Scores by task."""
    net.eval()
    got = {}
    for task, items in found.items():
        for batch in batches(items):
            again = [x for item in batch for _, _, x in item.get("who", ())]
            for name, (logits, right) in answers(net, task, batch).items():
                said = got.setdefault(name, [])
                said += zip(right.tolist(), logits.argmax(-1).tolist(), again if name == "who" else [0] * len(right))
    return score(got)


def of(found, part, treatment):
    """By task, the items of one treatment."""
    return {task: [{**{k: v for k, v in row.items() if k != "texts"}, **row["texts"][treatment]} for row in parts[part]]
            for task, parts in found.items()}


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--model", required=True, help="folder of the pretrained encoder")
    p.add_argument("--work", required=True, type=pathlib.Path, help="folder that treat.py wrote")
    p.add_argument("--share", type=int, default=1, help="learns from every n-th call only")
    p.add_argument("--passes", type=int, default=2)
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--layers", type=int, default=2, help="how many upper layers are trained")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    found, labels = rows(a.work, TREATMENTS, AutoTokenizer.from_pretrained(a.model), a.share)
    settings = {k: getattr(a, k) for k in ("share", "passes", "layers")}
    path = a.work / "results.jsonl"
    done = read(path) if path.exists() else []
    if any(d["settings"] != settings for d in done):
        raise SystemExit(f"{path} is of other settings: remove it, or give the same ones")
    sizes = {task: {part: len(x) for part, x in parts.items()} for task, parts in found.items()}
    asked = {f"{name} questions to {verb}": sum(len(r[key]) for r in found["persons"][part])
             for key, name in (("who", "who-is-it"), ("same", "same-person")) for part, verb in (("train", "learn from"), ("test", "test on"))}
    (a.work / "baselines.json").write_text(json.dumps({
        "sizes": sizes, "scores": baselines(found, TREATMENTS), "questions": {**asked, "purposes": len(labels["purpose"]), "acts": len(labels["next"])}}))
    print(sizes, flush=True)
    frozen = Frozen(a.model, a.layers)
    raw = None
    for treatment in TREATMENTS:
        left = [seed for seed in range(a.seeds) if not any((d["treatment"], d["seed"]) == (treatment, seed) for d in done)]
        if not left:
            continue
        began = time.time()
        learned, alike = of(found, "train", treatment), of(found, "test", treatment)
        if raw is None:
            raw = of(found, "test", "raw")
            frozen.read([i for items in raw.values() for i in items])
        frozen.read([i for items in [*learned.values(), *alike.values()] for i in items])
        print(f"{treatment}: read in {time.time() - began:.0f} s", flush=True)
        for seed in left:
            began = time.process_time()
            torch.manual_seed(seed)
            net = frozen.net(*(len(labels[t]) for t in ("purpose", "next")))
            steps = train(net, learned, a.passes, seed)
            on_raw = test(net, raw)
            on_alike = on_raw if treatment == "raw" else test(net, alike)
            line = {"treatment": treatment, "seed": seed, "settings": settings, "steps": steps,
                    "raw": on_raw, "alike": on_alike, "seconds": round(time.process_time() - began)}
            with path.open("a") as out:
                out.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
