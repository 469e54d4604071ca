"""Fine-tunes a small pretrained encoder to label the words of calls.

One network reads calls while they go on and when they are over: in seven of ten steps a piece sees its own turn and earlier ones
(block-causal attention), otherwise the whole window. The learning rate falls to zero at --passes or --minutes, whichever comes
first. A run that was interrupted goes on from its last checkpoint.
"""
import argparse
import os
import random
import time

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from data import LABELS, Pieces, other_calls, own_calls, windows
from net import Net, tensors
from unpack import unpack


def passes(a, pieces, count):
    """Batches of about a.batch pieces, of windows of similar length, for one pass after another."""
    for number in range(count):
        random.seed(f"{a.seed}/{number}")
        calls = own_calls(a.calls)[::a.share] + other_calls(a.sets)
        cut = [w for c in calls for w in windows(c, random.choice([0, 0, 1, 2]), a.window, pieces)]
        random.shuffle(cut)
        batches = []
        for i in range(0, len(cut), 128):
            batch = []
            for w in sorted(cut[i:i + 128], key=len):
                if batch and (len(batch) + 1) * len(w) > a.batch:
                    batches.append(batch)
                    batch = []
                batch.append(w)
            batches.append(batch)
        random.shuffle(batches)
        print(f"pass {number + 1}: {len(calls)} calls, {sum(map(len, cut))} pieces, {len(batches)} steps", flush=True)
        yield batches


def named(net):
    """The weights by the names that export.py knows."""
    out = {}
    for name, x in net.state_dict().items():
        if name.startswith("head."):
            out[name], out[name.replace("head", "begin")] = x[:-1].contiguous(), x[-1:].contiguous()
        else:
            out[name.replace("speaker.", "spk.")] = x.contiguous()
    return out


def unnamed(weights):
    """What named() was made of."""
    out = {}
    for name, x in weights.items():
        if name.startswith("head."):
            out[name] = torch.cat([x, weights[name.replace("head", "begin")]])
        elif not name.startswith("begin."):
            out[name.replace("spk.", "speaker.")] = x
    return out


def earlier(path, net):
    """The weights of an earlier run: what it wrote, or the model file that was made of it."""
    if not path.endswith(".model"):
        return load_file(path)
    with open(path, "rb") as f:
        weights, _ = unpack(f.read())
    weights = {name: torch.from_numpy(x) for name, x in weights.items()}
    name = "bert.embeddings.position_embeddings.weight"
    rest = net.state_dict()[name][len(weights[name]):]
    weights[name] = torch.cat([weights[name], rest])
    return weights


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--model", required=True, help="folder of the pretrained encoder")
    p.add_argument("--calls", default="training/corpora/calls/train/*.txt", help="marked-up calls")
    p.add_argument("--sets", default="../shared/corpora/train", help="folder of sets of others; what is missing is left out")
    p.add_argument("--weights", help="starts from the weights or the model file that an earlier run wrote, not from the pretrained ones")
    p.add_argument("--out", required=True)
    p.add_argument("--share", type=int, default=1, help="reads every n-th call only")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--passes", type=int, default=3)
    p.add_argument("--minutes", type=float, default=150)
    p.add_argument("--window", type=int, default=128, help="pieces")
    p.add_argument("--batch", type=int, default=2048, help="pieces")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--rate", type=float, default=1e-4)
    p.add_argument("--bfloat16", action="store_true", help="multiplies matrices in 16 bits: twice as fast on processors with AVX-512 BF16")
    a = p.parse_args()
    torch.manual_seed(a.seed)
    torch.set_num_threads(a.threads)
    tokenizer = AutoTokenizer.from_pretrained(a.model)
    pieces = Pieces(tokenizer)
    net = Net(AutoModel.from_pretrained(a.model, add_pooling_layer=False), len(LABELS))
    if a.weights:
        net.load_state_dict(net.state_dict() | unnamed(earlier(a.weights, net)))
    net.train()
    new = [q for n, q in net.named_parameters() if not n.startswith("bert")]
    old = [q for n, q in net.named_parameters() if n.startswith("bert")]
    optimizer = torch.optim.AdamW([dict(params=old, lr=a.rate), dict(params=new, lr=10 * a.rate)], weight_decay=0.01, fused=True)
    rates = [g["lr"] for g in optimizer.param_groups]
    done, spent = 0, 0.0
    checkpoint = a.out + ".checkpoint"
    if os.path.exists(checkpoint):
        saved = torch.load(checkpoint)
        net.load_state_dict(saved["net"])
        optimizer.load_state_dict(saved["optimizer"])
        done, spent = saved["step"], saved["spent"]
    start = time.time()
    began, step, mean, seen = start - spent, 0, 0.0, 0
    left = 1.0
    for batches in passes(a, pieces, a.passes):
        total = len(batches) * a.passes
        for batch in batches:
            step += 1
            if step <= done:
                continue
            causal = random.Random(f"{a.seed}/{step}").random() < 0.7
            left = 1 - max(step / total, (time.time() - began) / (60 * a.minutes))
            if left <= 0:
                break
            for group, rate in zip(optimizer.param_groups, rates):
                group["lr"] = rate * min(1, step / 100) * left
            piece, shape, speaker, turn, labels, begins = tensors(batch)
            with torch.autocast("cpu", torch.bfloat16, enabled=a.bfloat16):
                out = net(piece, shape, speaker, turn, causal).float()
            loss = F.cross_entropy(out[..., :-1].flatten(0, 1), labels.flatten(), ignore_index=-100)
            value = labels > 0
            if value.any():
                loss = loss + 0.1 * F.binary_cross_entropy_with_logits(out[..., -1][value], begins[value].float())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            mean, seen = mean + loss.item(), seen + int((piece != 0).sum())
            if step % 25 == 0:
                print(f"{step} of {total}: loss {mean / 25:.4f}, {seen / (time.time() - start):.0f} pieces/s, {left:.2f} left", flush=True)
                mean = 0.0
            if step % 250 == 0:
                torch.save(dict(net=net.state_dict(), optimizer=optimizer.state_dict(), step=step, spent=time.time() - began), checkpoint + ".new")
                os.replace(checkpoint + ".new", checkpoint)
        if left <= 0:
            break
    save_file(named(net), a.out)
    print(f"{step} steps in {(time.time() - began) / 60:.0f} minutes", flush=True)


if __name__ == "__main__":
    main()
