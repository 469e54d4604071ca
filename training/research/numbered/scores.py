"""Scores of the experiment, and what can be had without learning. See docs/numbered.md."""

from collections import Counter

TASKS = {"purpose": "macro F1", "next": "macro F1", "who": "macro F1", "who again": "macro F1", "same": "F1"}


def f1(answers, kind):
    """answers are pairs of right and given."""
    hit = sum(r == g == kind for r, g in answers)
    said, there = sum(g == kind for _, g in answers), sum(r == kind for r, _ in answers)
    return 2 * hit / (said + there) if said + there else 0.0


def macro(answers):
    kinds = sorted({r for r, _ in answers})
    return sum(f1(answers, k) for k in kinds) / len(kinds) if kinds else 0.0


def score(got):
    """By task of TASKS in percent, of triples of the right answer, the given one, and whether the person had been mentioned before."""
    pairs = {task: [(r, g) for r, g, _ in said] for task, said in got.items()}
    pairs["who again"] = [(r, g) for r, g, again in got.get("who", ()) if again]
    return {task: round(100 * (f1(pairs[task], 1) if task == "same" else macro(pairs[task])), 2) for task in TASKS if pairs.get(task)}


def baselines(found, treatments):
    """The most frequent answer of training; and for pairs, that mentions are one person's if they read alike, by treatment."""
    test = {"purpose": found["purpose"]["test"], "next": found["next"]["test"]}
    got = {task: [(r["label"], most([x["label"] for x in found[task]["train"]]), 0) for r in rows] for task, rows in test.items()}
    persons = found["persons"]
    usual = most([w[1] for r in persons["train"] for w in r["who"]])
    got["who"] = [(answer, usual, again) for r in persons["test"] for _, answer, again in r["who"]]
    got["same"] = [(answer, 1, 0) for r in persons["test"] for *_, answer in r["same"]]
    alike = {}
    for t in treatments:
        said = []
        for row in persons["test"]:
            pieces, places = row["texts"][t]["pieces"], row["texts"][t]["places"]
            said += [(answer, int(pieces[slice(*places[i])] == pieces[slice(*places[j])])) for i, j, answer in row["same"]]
        alike[t] = round(100 * f1(said, 1), 2)
    return {"usual": score(got), "same if alike": alike}


def most(values):
    return Counter(values).most_common(1)[0][0] if values else None
