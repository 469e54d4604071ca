"""Trains small encoders on the tables of main.go and measures them beside the tagger.

    pip install jax optax numpy        (all Apache-2.0 or BSD, used here only)
    python hack/encoder/train.py DIR gru|conv WIDTH SECONDS [SHARE]
    python hack/encoder/train.py DIR tagger

Everything is random with seed 0. SHARE is the share of the training turns to learn from.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

FEATURES = 11
SIZES = [1 << 15, 1 << 13, 1 << 13, 1 << 11, 64, 16, 16, 16, 16, 16, 16]
LABELS, EMBED, LIMIT, LENGTH, BATCH, PASSES = 9, 48, 40_000, 48, 128, 4
KINDS = ["PERSON_NAME", "ORGANIZATION_NAME", "LOCATION", "PRODUCT"]


def read(path):
    """Returns the names of the sets, and turns as (set, variant, first word, words) beside the words."""
    data = np.fromfile(path + ".bin", dtype="<i4")
    turns, at = [], 0
    while at < len(data):
        n = data[at + 2]
        if n > 0:
            turns.append((data[at], data[at + 1], at + 3, n))
        at += 3 + n * (FEATURES + 2)
    return open(path + ".txt").read().split(), np.array(turns), data


def batch(data, turns, length):
    """Pads turns of about one length to length words; what is over is cut."""
    x = np.zeros((len(turns), length, FEATURES), np.int32)
    y = np.full((len(turns), length), -1, np.int32)
    tagger = np.zeros((len(turns), length), np.int32)
    for i, (_, _, at, n) in enumerate(turns):
        rows = data[at : at + n * (FEATURES + 2)].reshape(n, FEATURES + 2)[:length]
        x[i, : len(rows)] = rows[:, :FEATURES]
        y[i, : len(rows)], tagger[i, : len(rows)] = rows[:, FEATURES], rows[:, FEATURES + 1]
    return x, y, tagger


def init(kind, width, key):
    keys = iter(jax.random.split(key, 32))
    dense = lambda n, m: jax.random.normal(next(keys), (n, m)) / np.sqrt(n)
    p = {"embed": [jax.random.normal(next(keys), (n, EMBED)) * 0.1 for n in SIZES]}
    if kind == "conv":  # a window of five words, one hidden layer, a second window of three
        p["in"], p["in_bias"] = dense(5 * EMBED, width), jnp.zeros(width)
        p["mid"], p["mid_bias"] = dense(3 * width, width), jnp.zeros(width)
        p["out"] = dense(width, LABELS)
    else:
        for d in ("forward", "backward"):
            p[d] = {"w": dense(EMBED, 3 * width), "u": dense(width, 3 * width), "b": jnp.zeros(3 * width)}
        p["out"] = dense(2 * width, LABELS)
    p["bias"] = jnp.zeros(LABELS)
    return p


def gru(p, x, mask, reverse):
    width = p["u"].shape[0]
    inputs = x @ p["w"] + p["b"]

    def step(h, at):
        v, m = at
        g = h @ p["u"]
        r = jax.nn.sigmoid(v[:, :width] + g[:, :width])
        z = jax.nn.sigmoid(v[:, width : 2 * width] + g[:, width : 2 * width])
        c = jnp.tanh(v[:, 2 * width :] + r * g[:, 2 * width :])
        h = jnp.where(m[:, None], (1 - z) * c + z * h, h)
        return h, h

    _, out = jax.lax.scan(step, jnp.zeros((x.shape[0], width)), (inputs.swapaxes(0, 1), mask.swapaxes(0, 1)), reverse=reverse)
    return out.swapaxes(0, 1)


def window(x, n):
    pad = n // 2
    x = jnp.pad(x, ((0, 0), (pad, pad), (0, 0)))
    return jnp.concatenate([x[:, i : x.shape[1] - n + 1 + i] for i in range(n)], axis=-1)


def logits(kind, p, x):
    mask = (x != 0).any(-1)
    e = sum(t[x[:, :, i]] for i, t in enumerate(p["embed"])) * mask[:, :, None]
    if kind == "conv":
        h = jax.nn.relu(window(e, 5) @ p["in"] + p["in_bias"]) * mask[:, :, None]
        h = h + jax.nn.relu(window(h, 3) @ p["mid"] + p["mid_bias"])
    else:
        h = jnp.concatenate([gru(p["forward"], e, mask, False), gru(p["backward"], e, mask, True)], axis=-1)
    return h @ p["out"] + p["bias"]


def main():
    folder, kind = sys.argv[1], sys.argv[2]
    if kind == "tagger":
        return report(kind, None, folder)
    width, seconds = int(sys.argv[3]), float(sys.argv[4])
    share = float(sys.argv[5]) if len(sys.argv) > 5 else 1.0
    sets, turns, data = read(folder + "/train")
    rng = np.random.default_rng(0)
    params = init(kind, width, jax.random.PRNGKey(0))
    steps = sum(min(int((turns[:, 0] == s).sum() / 3 * share), LIMIT) for s in range(len(sets))) * PASSES // BATCH
    opt = optax.adam(optax.linear_schedule(4e-3, 2e-4, steps))
    state = opt.init(params)

    def loss_of(p, x, y):
        known = y >= 0
        l = optax.softmax_cross_entropy_with_integer_labels(logits(kind, p, x), jnp.maximum(y, 0))
        return (l * known).sum() / jnp.maximum(known.sum(), 1)

    @jax.jit
    def step(p, state, x, y):
        loss, grad = jax.value_and_grad(loss_of)(p, x, y)
        updates, state = opt.update(grad, state)
        return optax.apply_updates(p, updates), state, loss

    began, losses, n = time.time(), [], 0
    while n < steps and time.time() - began < seconds:
        chosen = []
        for s in range(len(sets)):
            of = turns[turns[:, 0] == s]
            count = len(of) // 3
            order = rng.permutation(max(int(count * share), 1))[:LIMIT]
            variant = rng.choice(3, len(order), p=[0.45, 0.25, 0.3])
            chosen.append(np.concatenate([of[of[:, 1] == v][order[variant == v] % (of[:, 1] == v).sum()] for v in range(3)]))
        chosen = np.concatenate(chosen)
        chosen = chosen[np.argsort(chosen[:, 3] + rng.random(len(chosen)))]
        starts = rng.permutation(np.arange(0, len(chosen) - BATCH + 1, BATCH))
        for at in starts:
            part = chosen[at : at + BATCH]
            length = min(-(-int(part[-1, 3]) // 8) * 8, LENGTH)
            x, y, _ = batch(data, part, length)
            hide = rng.random(y.shape) < np.where(y > 0, 0.25, 0.04)  # words that were never seen
            x[:, :, 0] = np.where(hide & (x != 0).any(-1), 1, x[:, :, 0])
            params, state, loss = step(params, state, x, y)
            losses.append(float(loss))
            n += 1
            if n % 500 == 0:
                print(f"step {n} of {steps}: loss {np.mean(losses[-500:]):.4f}, {time.time() - began:.0f}s", flush=True)
            if n >= steps or time.time() - began >= seconds:
                break
    report(kind, params, folder)


def report(kind, params, folder):
    """Prints precision and recall of words, of all sets that are conversations, for the encoder and for the tagger."""
    sets, turns, data = read(folder + "/dev")
    apply = jax.jit(lambda p, x: logits(kind, p, x).argmax(-1))
    counts = np.zeros((len(sets), 2, 2, 4, 3), np.int64)  # set, lower, model, kind; right, found, labelled
    for s in range(len(sets)):
        for low in range(2):
            part = turns[(turns[:, 0] == s) & (turns[:, 1] == low)]
            part = part[np.argsort(part[:, 3])]
            for at in range(0, len(part), 256):
                some = part[at : at + 256]
                x, y, tagger = batch(data, some, -(-int(some[-1, 3]) // 16) * 16)
                gold = np.where(y > 0, (y - 1) // 2, -1)
                for m, found in enumerate((np.asarray(apply(params, x)) if params else tagger, tagger)):
                    found = np.where(found > 0, (found - 1) // 2, -1)
                    found = np.where((y < 0) | ~(x != 0).any(-1), -1, found)
                    for k in range(4):
                        counts[s, low, m, k] += ((found == k) & (gold == k)).sum(), (found == k).sum(), (gold == k).sum()
    held = [s for s, name in enumerate(sets) if not name.startswith("evi")]  # answers that only their question tells
    for s, name in enumerate(sets + ["all", "all but evi"]):
        c = counts[s] if s < len(sets) else counts[held].sum(0) if name == "all but evi" else counts.sum(0)
        for low in range(2):
            line = f"{name:22} {'lower' if low else '     '}"
            for k in range(3):
                for m in range(0 if params else 1, 2):
                    right, found, labelled = c[low, m, k]
                    line += f"  {KINDS[k][:3]} {'tagger' if m else kind} P {100 * right / max(found, 1):5.1f} R {100 * right / max(labelled, 1):5.1f}"
            print(line)
    if params:
        print("parameters", sum(int(np.prod(v.shape)) for v in jax.tree_util.tree_leaves(params)))


main()
