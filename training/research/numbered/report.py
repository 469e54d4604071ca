#!/usr/bin/env python3
"""Prints what learn.py found as tables, and draws it. See docs/numbered.md.

report.py WORK PLOT reads WORK/results.jsonl and WORK/baselines.json, and writes the picture PLOT (SVG).
"""

import json
import pathlib
import sys
from statistics import mean, stdev

from scores import TASKS
from treat import TREATMENTS, read

NAMES = {"purpose": "purpose", "next": "next act", "who": "who is it", "who again": "who is it, named before", "same": "same person"}
COLOURS = ("#1f77b4", "#ff7f0e")


def spread(scores):
    return f"{mean(scores):.1f} ± {stdev(scores):.1f}" if len(scores) > 1 else f"{scores[0]:.1f}"


def scores(runs, treatment, on, task):
    return [r[on][task] for r in runs if r["treatment"] == treatment]


def table(runs, baselines, on):
    yield "| learned from | " + " | ".join(NAMES[t] for t in TASKS) + " |"
    yield "|---|" + "--:|" * len(TASKS)
    for treatment in TREATMENTS:
        if any(r["treatment"] == treatment for r in runs):
            yield f"| {treatment} | " + " | ".join(spread(scores(runs, treatment, on, task)) for task in TASKS) + " |"
    yield "| nothing | " + " | ".join(f"{baselines['scores']['usual'][task]:.1f}" for task in TASKS) + " |"


def differences(runs, on):
    """Numbered against unnumbered tags, seed by seed: the mean and the deviation."""
    by = {(r["treatment"], r["seed"]): r[on] for r in runs}
    seeds = sorted(s for t, s in by if t == "numbered" and ("typed", s) in by)
    yield f"| numbered - typed, tested on {'raw calls' if on == 'raw' else 'calls treated alike'} | " + " | ".join(
        spread([by["numbered", s][task] - by["typed", s][task] for s in seeds]) for task in TASKS) + " |"


def svg(runs, baselines):
    """A panel for each task: a bar for each treatment and kind of test, with the deviation, and a dot for each seed."""
    wide, high, left = 190, 170, 40
    y = lambda v: 30 + high * (1 - v / 100)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide * len(TASKS)} 300" font-family="sans-serif" font-size="11" role="img" '
           'aria-label="Scores of each task by what was learned from">', f'<rect width="{left + wide * len(TASKS)}" height="300" fill="#fff"/>']
    out += [f'<text x="{left - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{v}</text>' for v in range(0, 101, 20)]
    for n, task in enumerate(TASKS):
        at = left + n * wide
        out.append(f'<text x="{at + wide / 2 - 8}" y="18" text-anchor="middle" font-weight="bold">{NAMES[task]}, {TASKS[task]}</text>')
        out.append(f'<path d="M{at} {y(100):.1f}V{y(0):.1f}H{at + wide - 16}" fill="none" stroke="#000"/>')
        usual = baselines["scores"]["usual"][task]
        out.append(f'<path d="M{at} {y(usual):.1f}H{at + wide - 16}" stroke="#999" stroke-dasharray="4"/>')
        for k, treatment in enumerate(TREATMENTS):
            middle = at + 20 + 34 * k
            out.append(f'<text transform="translate({middle + 4} {y(0) + 8:.1f}) rotate(90)">{treatment}</text>')
            for m, on in enumerate(("raw", "alike")):
                found = scores(runs, treatment, on, task)
                if found:
                    x = middle - 12 + 13 * m
                    out.append(f'<rect x="{x}" y="{y(mean(found)):.1f}" width="11" height="{y(0) - y(mean(found)):.1f}" fill="{COLOURS[m]}"/>')
                    out += [f'<circle cx="{x + 5.5}" cy="{y(v):.1f}" r="2" fill="#000"/>' for v in found]
    for m, text in enumerate(("tested on raw calls", "tested on calls treated alike")):
        out.append(f'<rect x="{left + 220 * m}" y="282" width="11" height="11" fill="{COLOURS[m]}"/><text x="{left + 16 + 220 * m}" y="292">{text}</text>')
    out.append(f'<text x="{left + 440}" y="292">dots: seeds; dashed: always the most frequent answer</text>')
    return "\n".join([*out, "</svg>", ""])


def main(work, plot):
    work = pathlib.Path(work)
    runs = read(work / "results.jsonl")
    baselines = json.loads((work / "baselines.json").read_text())
    for task, parts in baselines["sizes"].items():
        print(f"{task}: {parts['train']} texts to learn from, {parts['test']} to test on")
    print(", ".join(f"{n} {what}" for what, n in baselines["questions"].items()))
    settings = runs[0]["settings"]
    print(f"one in {settings['share']} of the calls to learn from, {settings['passes']} passes, {settings['layers']} layers trained, "
          f"{len({r['seed'] for r in runs})} seeds, {sum(r['seconds'] for r in runs) / 60:.0f} minutes of one processor for learning and testing")
    for on, title in (("raw", "tested on raw calls"), ("alike", "tested on calls treated alike")):
        print(f"\n{title}, in %:\n")
        print("\n".join(table(runs, baselines, on)))
    print("\nsame person, if two mentions read alike: " + ", ".join(f"{t} {v:.1f}" for t, v in baselines["scores"]["same if alike"].items()))
    print("\n| difference of the seeds | " + " | ".join(NAMES[t] for t in TASKS) + " |\n|---|" + "--:|" * len(TASKS))
    for on in ("raw", "alike"):
        print("\n".join(differences(runs, on)))
    pathlib.Path(plot).write_text(svg(runs, baselines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
