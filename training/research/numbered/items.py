"""The questions of the experiment: texts as word pieces, and what is asked about them. See docs/numbered.md.

A text is the same turns in every treatment, and a question is left out of all treatments if its answer is cut off in one.
"""

import itertools
import random
from collections import Counter

from treat import read

GENERAL = {"contentonly", "confirmation", "rejection", "thankyou", "openinggreeting", "closinggreeting", "outofdomain"}
WORDS, PIECES = 100, 288  # of a window of marked calls: it ends with the turn that fills the words; longer ones are cut
PURPOSE_PIECES, NEXT_PIECES, NEXT_TURNS = 112, 64, 3
PAIRS = 12  # of a window
MIN_CALLS = 15  # of a purpose
HERE, THERE, AWAY = range(3)  # who somebody is: who speaks, another speaker of the call, nobody in the call


class Text:
    """Pieces of some turns, and which of them a raw place of a turn has become."""

    def __init__(self, tokenizer, turns, names, keep):
        self.pieces, self.offsets, self.spans = [], [], {}
        for number, speaker, text, spans in turns:
            begin = tokenizer(f"{names[speaker]}:", add_special_tokens=False)["input_ids"]
            said = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
            self.pieces += begin + said["input_ids"]
            self.offsets += [(number, 0, 0)] * len(begin) + [(number, a, b) for a, b in said["offset_mapping"]]
            self.spans[number] = spans
        kept = slice(None, keep) if keep > 0 else slice(keep, None)
        self.pieces, self.offsets = self.pieces[kept], self.offsets[kept]

    def place(self, turn, start, end):
        """The range of pieces of raw positions; None where it is cut off."""
        start, end = clean(self.spans[turn], start, end)
        inside = [i for i, (n, a, b) in enumerate(self.offsets) if n == turn and a < end and start < b]
        return (inside[0], inside[-1] + 1) if inside else None


def clean(spans, start, end):
    """Where a range of the raw text is in the treated one: the masks that cover any of it, or the same words."""
    covering = [s for s in spans if s[2] < end and start < s[3]]
    moved = lambda at: at + sum((s[1] - s[0]) - (s[3] - s[2]) for s in spans if s[3] <= at)
    if not covering:
        return moved(start), moved(end)
    first, last = covering[0], covering[-1]
    return first[0] if first[2] <= start else moved(start), last[1] if last[3] >= end else moved(end)


def windows(call):
    """Ranges of turns with about WORDS raw words."""
    first, words = 0, 0
    for number, turn in enumerate(call["utterances"]):
        words += len(turn["text"].split())
        if words >= WORDS or number == len(call["utterances"]) - 1:
            yield range(first, number + 1)
            first, words = number + 1, 0


def questions(call, turns):
    """Mentions in these turns as (turn, start, end, who, again), and pairs of them as (i, j, same)."""
    marks, speakers = call["marks"]["mentions"], call["marks"]["speakers"]
    mentions, seen = [], set()
    for turn, start, end, person in marks:
        if turn in turns and person != "?":
            here = speakers.get(call["utterances"][turn]["speaker"]) or speakers.get(call["utterances"][turn]["speaker"].upper())
            who = HERE if here == person else THERE if person in speakers.values() else AWAY
            mentions.append((turn, start, end, who, person in seen))
            seen.add(person)
    persons = [m[3] for m in marks if m[0] in turns and m[3] != "?"]
    pairs = [(i, j, int(persons[i] == persons[j])) for i, j in itertools.combinations(range(len(mentions)), 2)
             if mentions[i][0] != mentions[j][0]]
    random.Random(f"{call['id']}/{turns.start}").shuffle(pairs)
    return mentions, pairs[:PAIRS]


def named(turns):
    """Speakers as a, b, c, in order of appearance."""
    order = dict.fromkeys(t[0] for t in turns)
    return {speaker: chr(ord("a") + n % 26) for n, speaker in enumerate(order)}


def persons(call, turns_of, tokenizer):
    """A row for each window: by treatment its pieces and places."""
    for window in windows(call):
        mentions, pairs = questions(call, window)
        if not mentions:
            continue
        texts = {}
        for treatment, turns in turns_of.items():
            names = named(turns)
            text = Text(tokenizer, [(n, *turns[n]) for n in window], names, PIECES)
            texts[treatment] = text.pieces, [text.place(*m[:3]) for m in mentions]
        whole = [all(places[i] for _, places in texts.values()) for i in range(len(mentions))]
        yield {"texts": {t: {"pieces": pieces, "places": places} for t, (pieces, places) in texts.items()},
               "who": [(i, m[3], int(m[4])) for i, m in enumerate(mentions) if whole[i]],
               "same": [p for p in pairs if whole[p[0]] and whole[p[1]]]}


def purposes(call, turns_of, tokenizer):
    intents = [i for u in call["utterances"] for i in u["intent"].split("<div>") if i not in GENERAL]
    if intents:
        yield {"texts": {t: {"pieces": Text(tokenizer, [(n, *turn) for n, turn in enumerate(turns)], named(turns), PURPOSE_PIECES).pieces}
                         for t, turns in turns_of.items()}, "label": intents[0]}


def nexts(call, turns_of, tokenizer):
    """What the customer does in a turn of the call, from the turns before."""
    if len(call["utterances"]) < 3:
        return
    turn = random.Random(call["id"]).randrange(1, len(call["utterances"]))
    act = call["utterances"][turn]["intent"].split("<div>")[0]
    before = range(max(0, turn - NEXT_TURNS), turn)
    yield {"texts": {t: {"pieces": Text(tokenizer, [(n, *turns[n]) for n in before], named(turns), -NEXT_PIECES).pieces}
                     for t, turns in turns_of.items()}, "label": act if act in GENERAL else "request"}


def rows(work, treatments, tokenizer, share=1):
    """By task and part: the rows. Labels are numbers; purposes that are rare in training are left out."""
    calls = read(work / "calls.jsonl")
    turns = {t: {c["id"]: c["turns"] for c in read(work / f"{t}.jsonl")} for t in treatments}
    found = {task: {"train": [], "test": []} for task in ("persons", "purpose", "next")}
    order = Counter()
    for call in calls:
        order[call["part"]] += 1
        if call["part"] == "train" and order["train"] % share:
            continue
        of = {t: turns[t][call["id"]] for t in treatments}
        makers = {"persons": persons} if "marks" in call else {"purpose": purposes, "next": nexts}
        for task, make in makers.items():
            found[task][call["part"]] += make(call, of, tokenizer)
    labels = {}
    for task in ("purpose", "next"):
        counts = Counter(r["label"] for r in found[task]["train"])
        labels[task] = sorted(x for x, n in counts.items() if n >= (max(MIN_CALLS // share, 2) if task == "purpose" else 1))
        for part, of in found[task].items():
            found[task][part] = [{**r, "label": labels[task].index(r["label"])} for r in of if r["label"] in labels[task]]
    return found, labels
