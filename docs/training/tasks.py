#!/usr/bin/env python3
"""Rows that teach a model the tasks of a call, and the scores of its outputs. See tasks.md.

tasks.py rows SOTTO LABELS EXPORT... > ROWS     (JSON lines of 'sotto corpus export')
tasks.py score ROWS OUTPUTS
"""

import collections
import json
import os
import re
import subprocess
import sys

CLASSES = ("purpose", "outcome")
TEXTS = {"summary": "Summarize this call.", "action_items": "List what is to be done after this call, one item a line."}
MARKER = re.compile(r"\[[A-Z][A-Z_]*(?:_\d+)?\]|\[MASK\]")
COMMON = 10  # calls that have a class which is exported whatever it says: codes of a taxonomy look like names


def lines(path):
    """The objects of a file. An error names the line, never its text."""
    with open(path, encoding="utf-8") as file:
        for n, line in enumerate(file, 1):
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if not isinstance(value, dict) or not isinstance(value.get("call_id"), str):
                sys.exit(f"{path}:{n}: not an object with call_id")
            yield n, value


def words(text):
    return re.findall(r"\w+", text.casefold())


def read_labels(path):
    """The labels of each call, by task."""
    found = {}
    for n, line in lines(path):
        call, texts, items = line["call_id"], {t: line.get(t) or "" for t in ("summary", *CLASSES)}, line.get("action_items") or []
        if call in found or not all(isinstance(x, str) for x in texts.values()) or not isinstance(items, list) or not all(isinstance(x, str) for x in items):
            sys.exit(f"{path}:{n}: a call has one line, with summary, action_items (a list), purpose or outcome")
        found[call] = {t: x.strip() for t, x in (*texts.items(), ("action_items", "\n".join(items))) if x.strip()}
    return found


def personal(sotto, texts):
    """What the engine finds in each text beside its tags."""
    events = "".join(json.dumps({"call_id": f"label-{i}", "seq": 1, "type": "UTTERANCE", "text": MARKER.sub("…", t)}) + "\n" for i, t in enumerate(texts))
    out = subprocess.run([sotto, "anonymize"], input=events.encode(), stdout=subprocess.PIPE, check=True, env={**os.environ, "SOTTO_RAW_OFFSETS": "true"})
    found = {}
    for event in map(json.loads, out.stdout.splitlines()):
        text = MARKER.sub("…", texts[int(event["call_id"].removeprefix("label-"))])
        found.setdefault(event["call_id"], []).extend(text[e["raw_start"]:e["raw_end"]] for e in event["entities"])
    return {t: found[f"label-{i}"] for i, t in enumerate(texts)}


def hidden(text, spans):
    """A text with a mask for each span."""
    for span in sorted(spans, key=lambda s: -s["start"]):
        text = text[:span["start"]] + "[MASK]" + text[span["end"]:]
    return text


def rows(sotto, labels, exports):
    """The rows, and what is left out: labels that say something personal, or have a tag, that their call does not have,
    classes of few calls, and labels of calls that are not in the export."""
    labels = read_labels(labels)
    found = personal(sotto, sorted({x for call in labels.values() for x in call.values()}))
    counts = collections.Counter((t, call[t]) for call in labels.values() for t in CLASSES if t in call)
    public = {t: sorted(x for (task, x), n in counts.items() if task == t and (n >= COMMON or n > 1 and not found[x])) for t in CLASSES}
    instructions = TEXTS | {t: f"What is the {t} of this call? Answer with one of: {'; '.join(public[t])}." for t in CLASSES}
    out, refused, missing = [], 0, set(labels)
    for path in exports:
        for _, call in lines(path):
            missing.discard(call["call_id"])
            said = " " + " ".join(words(call["text"])) + " "
            secret = {w for s in call["indirect"] for w in words(call["text"][s["start"]:s["end"]])}
            for task, label in sorted(labels.get(call["call_id"], {}).items()):
                if task in public and label not in public[task] or task not in public and any(
                        f" {' '.join(words(x))} " not in said for x in MARKER.findall(label) + found[label]):
                    refused += 1
                    continue
                if task not in public:
                    label = re.sub(r"\w+", lambda m: "[MASK]" if m[0].casefold() in secret else m[0], label)
                prompt = instructions[task] + "\n\n" + hidden(call["text"], call["indirect"])
                out.append({"call_id": call["call_id"], "task": task,
                            "messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": label}]})
    return out, refused, len(missing)


def scores(rows, outputs):
    """The figures of each task, from 0 to 1."""
    import sacrebleu
    from rouge_score.rouge_scorer import RougeScorer
    from sklearn.metrics import accuracy_score, f1_score

    given, pairs = {(o["call_id"], o.get("task")): str(o.get("output", "")).strip() for _, o in lines(outputs)}, {}
    for _, r in lines(rows):
        if (r["call_id"], r["task"]) not in given:
            sys.exit(f"{outputs} lacks the output of a row of {r['task']}; give all, empty ones too")
        pairs.setdefault(r["task"], []).append((r["messages"][-1]["content"].strip(), given[r["call_id"], r["task"]]))
    scorer, result = RougeScorer(["rouge1", "rouge2", "rougeL"]), {}
    for task, both in sorted(pairs.items()):
        want, got = zip(*both)
        if task in CLASSES:
            result[task] = {"F1": f1_score(want, got, average="macro", zero_division=0), "accuracy": accuracy_score(want, got)}
            continue
        rouge = [scorer.score(w, g) for w, g in both]
        result[task] = {k: sum(r[k].fmeasure for r in rouge) / len(both) for k in ("rouge1", "rouge2", "rougeL")}
        result[task]["BLEU"] = sacrebleu.corpus_bleu(got, [want]).score / 100
    return result


def main(command, *args):
    if command == "rows":
        made, refused, missing = rows(args[0], args[1], args[2:])
        for row in made:
            print(json.dumps(row, ensure_ascii=False))
        print(f"{len(made)} rows; {refused} labels are left out; {missing} calls with labels are not in the export", file=sys.stderr)
    else:
        for task, figures in scores(*args).items():
            print(task, *(f"{name} {value:.3f}" for name, value in figures.items()), sep="  ")


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("rows", "score"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
