#!/usr/bin/env python3
"""Treats the calls of the experiment with `sotto anonymize`, in each of its ways. See docs/numbered.md.

treat.py SOTTO CORPORA WORK writes WORK/TREATMENT.jsonl: a call a line, with its turns as [speaker, text, spans], and spans as
[start, end, raw_start, raw_end]. What is there stays. CORPORA is the folder of other people's sets; without one that is needed,
the program says which.
"""

import base64
import glob
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TREATMENTS = {"raw": None, "redacted": "redact", "typed": "typed", "numbered": "typed-numbered", "surrogates": "entity"}
TRAIN_MARKED, TRAIN_SUPPORT = 330, 1000  # calls


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def marked(sotto, corpora):
    """The calls in which persons are marked, with 'part', and their marks."""
    calls = {}
    files = sorted(glob.glob(str(ROOT / "training/corpora/calls/train/*.txt")))
    converted = subprocess.run([sotto, "corpus", "convert", *files], check=True, capture_output=True).stdout
    texts = {c["id"]: c for c in map(json.loads, converted.splitlines())}
    marked = [m for name in ("reader1", "reader2") for m in read(ROOT / f"training/corpora/who/{name}.jsonl")]
    for marks in marked[::len(marked) // TRAIN_MARKED]:
        calls[marks["id"]] = {**texts[marks["id"]], "part": "train", "marks": marks}
    for name in ("calls_everyday", "calls_customer"):
        texts = {c["id"]: c for c in read(corpora / f"dev/{name}.jsonl")}
        for marks in read(corpora / f"dev/who/{name}.jsonl"):
            calls[marks["id"]] = {**texts[marks["id"]], "part": "test", "marks": marks}
    return calls


def support(corpora):
    """Customers' turns of MultiDoGO with their intents, and 'part'."""
    train = read(corpora / "train/multidogo.jsonl")
    chosen = random.Random(0).sample(train, min(TRAIN_SUPPORT, len(train)))
    return {c["id"]: {**c, "part": part} for part, calls in (("train", chosen), ("test", read(corpora / "dev/multidogo.jsonl"))) for c in calls}


def events(calls):
    for call in calls.values():
        for seq, turn in enumerate(call["utterances"], 1):
            role = turn["speaker"].upper()
            speaker = {"id": turn["speaker"], "role": role if role in ("AGENT", "CUSTOMER") else "UNKNOWN"}
            yield {"call_id": call["id"], "seq": seq, "type": "UTTERANCE", "speaker": speaker, "text": turn["text"] or "."}
        yield {"call_id": call["id"], "seq": len(call["utterances"]) + 1, "type": "END"}


def treated(sotto, raw, strategy, key):
    """By call and turn: the clean text and its spans."""
    env = {**os.environ, "SOTTO_STRATEGY": strategy, "SOTTO_STATE_KEY_FILE": str(key)}
    out = subprocess.run([sotto, "anonymize", raw], check=True, stdout=subprocess.PIPE, env=env).stdout
    clean = {}
    for event in map(json.loads, out.splitlines()):
        if event["type"] == "UTTERANCE":
            spans = [[e["start"], e["end"], e["raw_start"], e["raw_end"]] for e in event["entities"]]
            clean.setdefault(event["call_id"], {})[event["seq"]] = event["text"], spans
    return clean


def write(path, objects):
    new = path.with_suffix(".new")
    new.write_text("".join(json.dumps(o) + "\n" for o in objects), encoding="utf-8")
    new.replace(path)


def main(sotto, corpora, work):
    corpora, work = pathlib.Path(corpora), pathlib.Path(work)
    needed = [corpora / p for p in ("train/multidogo.jsonl", "dev/multidogo.jsonl", "dev/calls_everyday.jsonl", "dev/who/calls_everyday.jsonl")]
    if missing := [p.name for p in needed if not p.exists()]:
        sys.exit(f"{corpora} lacks {', '.join(missing)}: docs/data.md says where the data sets are from")
    work.mkdir(parents=True, exist_ok=True)
    calls = {**marked(sotto, corpora), **support(corpora)}
    write(work / "calls.jsonl", calls.values())
    write(work / "events.jsonl", events(calls))
    key = work / "key"
    drawn = base64.b64encode(hashlib.sha256(b"numbered tags").digest()).decode()
    key.write_text(f"1 {drawn}\n")  # surrogates are the same each time; nothing here is secret
    key.chmod(0o600)
    turns = [(call["id"], [(t["speaker"], t["text"] or ".") for t in call["utterances"]]) for call in calls.values()]
    save = lambda name, of: write(work / f"{name}.jsonl", (
        {"id": call, "turns": [[speaker, *of(call, seq, text)] for seq, (speaker, text) in enumerate(said, 1)]} for call, said in turns))
    for name, strategy in TREATMENTS.items():
        if (work / f"{name}.jsonl").exists():
            continue
        clean = treated(sotto, work / "events.jsonl", strategy, key) if strategy else None
        save(name, lambda call, seq, text: clean[call][seq] if clean else (text, []))
        print(f"{name}: {len(calls)} calls", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
