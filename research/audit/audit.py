#!/usr/bin/env python3
"""Audits a language model that was trained on calls: which identifiers of these it predicts or repeats, and
whether one can tell the calls that it has learned from others, as sections 5.3 to 6.5 of "Towards the
Anonymization of the Language Modeling" (Boutet et al.) do. See docs/audit.md.
"""

import argparse
import functools
import html
import json
import math
import pathlib
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from dataclasses import dataclass

sys.path.append(str(pathlib.Path(__file__).parents[1] / "recover"))

from lm import BEGIN, END, UNKNOWN, Model, write_file  # noqa: E402
from recover import Refused, Server, Temporary  # noqa: E402

WORD = re.compile(r"\[\\*[A-Z][A-Z0-9_]*\]|[^\W_]+(?:['’][^\W_]+)*")
TAG = re.compile(r"\[[A-Z][A-Z0-9_]*\]")
N = 3  # the longest n-grams of a blacklist


def plain(text):
    """A text as a blacklist has it: in lower case and without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.lower().replace("’", "'")) if not unicodedata.combining(c))


@dataclass
class Token:
    """A token of a text with the logarithm of its probability, the token that the model would have written, and
    whether that is the same."""
    start: int
    end: int
    logprob: float
    best: str
    same: bool


class BuiltIn:
    """The n-gram model of recover.py."""

    def __init__(self, path):
        self.model = Model.open(path)
        self._best = functools.cache(self._best)

    def _best(self, u, v):
        m = self.model
        found = {*m._frequent, *m._after2.get((u, v), ()), *m._after1.get(v, ())} - {BEGIN}
        return max(sorted(found), key=lambda w: m.prob(u, v, w))

    def read(self, text):
        tokens, at = [], 0
        for line in text.split("\n"):
            u = v = BEGIN
            for found in WORD.finditer(line):
                w = found[0] if found[0][0] == "[" else found[0].lower()
                w = w if w in self.model._known else UNKNOWN
                best = self._best(u, v)
                tokens.append(Token(at + found.start(), at + found.end(), math.log(self.model.prob(u, v, w)), best, best == w != UNKNOWN))
                u, v = v, w
            at += len(line) + 1
        return tokens

    def write(self, prompt, length):
        line = [w if w in self.model._known else UNKNOWN for w in (f[0].lower() for f in WORD.finditer(prompt.split("\n")[-1]))]
        line, out = [BEGIN, BEGIN, *line], []
        while len(out) < length and (w := self._best(*line[-2:])) != END:
            line.append(w)
            out.append(w)
        return " ".join(w for w in out if w != UNKNOWN)


class Remote(Server):
    """A server with the completions of OpenAI's interface that scores the prompt (echo), as vLLM does."""

    def read(self, text):
        def tokens(answer):
            log, out = answer["choices"][0]["logprobs"], []
            for start, token, p, top in zip(log["text_offset"], log["tokens"], log["token_logprobs"], log["top_logprobs"]):
                if p is not None and start < len(text):  # the first token has none
                    best = max(top, key=top.get)
                    out.append(Token(start, start + len(token), p, best, best == token))
            return out
        return self.ask(tokens, prompt=text, max_tokens=1, echo=True, logprobs=1)

    def write(self, prompt, length):
        return self.ask(lambda answer: str(answer["choices"][0]["text"]), prompt=prompt, max_tokens=length)

    def ask(self, parse, **body):
        return self.post(self.url.rstrip("/") + "/completions", {"model": self.model, "temperature": 0, **body}, parse)


def read_calls(path):
    """The calls of JSON lines as texts, with the places of the labelled values."""
    calls = []
    for n, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        try:
            d, text, spans = json.loads(line), "", []
            for u in d["utterances"]:
                spans += [(len(text) + e["start"], len(text) + e["end"]) for e in u.get("entities", ())]
                text += u["text"] + "\n"
            calls.append((text.rstrip("\n"), spans))
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}:{n}: not a labelled conversation; 'sotto corpus convert' makes JSON lines of marked-up text") from None
    return calls


def ngrams(text, blacklist):
    """The n-grams of a text that are on the blacklist, by their length."""
    words = [plain(w[0]) for w in WORD.finditer(text) if w[0][0] != "["]
    return [{g for i in range(len(words) - n + 1) if (g := " ".join(words[i:i + n])) in blacklist} for n in range(1, N + 1)]


def identifiers(call, blacklist):
    """The words of a call that identify, with their places, by whether they are in a labelled value."""
    text, spans = call
    direct, indirect = {}, {}
    for m in WORD.finditer(text):
        if (w := plain(m[0])) in blacklist:
            (direct if any(a < m.end() and m.start() < b for a, b in spans) else indirect).setdefault(w, []).append(m.span())
    return direct, indirect


def predicted(tokens, found):
    """Those of the identifiers that the model would have written before the call has said them, in their
    places or elsewhere."""
    out = set()
    for w, [(start, end), *_] in found.items():
        inside = [t.same for t in tokens if t.start < end and start < t.end]
        if inside and all(inside) or any(plain(t.best.strip(" \n\tĠ▁")) == w for t in tokens if t.end <= start):
            out.add(w)
    return out


def share(part, whole):
    return part / whole if whole else None


def attack_by_loss(members, others):
    """The area under the ROC curve of guessing that a call with a lower loss is a member, the true positives at
    1 % false ones, and the curve."""
    curve, thresholds = [(0.0, 0.0)], sorted({*members, *others})
    for t in thresholds:
        curve.append((sum(x <= t for x in others) / len(others), sum(x <= t for x in members) / len(members)))
    area = sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in zip(curve, curve[1:]))
    return area, max(y for x, y in curve if x <= 0.01), curve


def audit(model, members, others, blacklist, length=60):
    """The figures of a model, and its outputs, which continue each member from before its first identifier."""
    leaked, total, caught, losses = Counter(), Counter(), {}, {}
    for name, calls in (("members", members), ("others", others)):
        caught[name], losses[name] = 0, []
        for call in calls:
            tokens, said = model.read(call[0]), False
            for kind, found in zip(("direct", "indirect"), identifiers(call, blacklist)):
                out = predicted(tokens, found)
                said = said or bool(out)
                if name == "members":
                    leaked[kind] += len(out)
                    total[kind] += len(found)
            caught[name] += said
            losses[name].append(-sum(t.logprob for t in tokens) / max(1, len(tokens)))
    area, at_1, curve = attack_by_loss(losses["members"], losses["others"])
    precision, recall = share(caught["members"], sum(caught.values())), share(caught["members"], len(members))
    f1 = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
    prompts = []
    for call in members:
        starts = [places[0][0] for kind in identifiers(call, blacklist) for places in kind.values()]
        if starts:
            prompts.append(call[0][:min(starts)])
    report = {
        "members": len(members), "others": len(others),
        "privacy": {
            "total": 1 - (share(leaked.total(), total.total()) or 0), "identifiers": total.total(),
            **{kind: 1 - (share(leaked[kind], total[kind]) or 0) for kind in ("direct", "indirect")},
        },
        "low-cost attack": {"precision": precision, "recall": recall, "f1": f1},
        "attack by the loss": {"auc": area, "true positives at 1 %": at_1},
        "curve": curve,
    }
    pairs = [(p, model.write(p, length)) for p in prompts]
    return {**report, **outputs(pairs, blacklist)}, pairs


def outputs(pairs, blacklist):
    """What outputs repeat that their prompts do not say, and how many tags they have."""
    repeated = [set() for _ in range(N)]
    for prompt, output in pairs:
        for known, found, into in zip(ngrams(prompt, blacklist), ngrams(output, blacklist), repeated):
            into |= found - known
    return {"outputs": {
        "outputs": len(pairs), "words": sum(len(WORD.findall(o)) for _, o in pairs),
        "tags": sum(len(TAG.findall(o)) for _, o in pairs),
        "tags of their prompts": sum(t in p for p, o in pairs for t in TAG.findall(o)),
        **{f"identifying {n}-grams": len(r) for n, r in enumerate(repeated, 1)},
    }}


def personal(sotto, texts):
    """How much personal information the engine finds in outputs, beside their tags, by infoType."""
    lines = "".join("A: " + " ".join(TAG.sub("…", t).split()) + "\n" for t in texts)
    clean = subprocess.run([sotto, "anonymize", "--text"], input=lines, capture_output=True, text=True, check=True).stdout
    return dict(sorted(Counter(re.sub(r"_\d+\]$|\]$", "", t)[1:] for t in TAG.findall(clean)).items()))


def rows(report):
    """The figures of a report, one a row."""
    for name, value in report.items():
        if isinstance(value, dict):
            yield from ((f"{name}: {what}", x) for what, x in value.items())
        elif name != "curve":
            yield name, value


def shown(x):
    return "none" if x is None else f"{x:.3f}" if isinstance(x, float) else str(x)


def page(report):
    """The report as a page of HTML, with plots of the privacy and of the attack by the loss."""
    cells = "".join(f"<tr><th>{html.escape(n)}</th><td>{shown(x)}</td></tr>" for n, x in rows(report))
    plots = ""
    if "privacy" in report:
        bars = "".join(
            f'<text x="0" y="{20 + 26 * i}">{n}</text><rect x="70" y="{8 + 26 * i}" width="{200 * report["privacy"][n]:.1f}" height="16"/>'
            for i, n in enumerate(("total", "direct", "indirect")))
        line = " ".join(f"{20 + 200 * x:.1f},{220 - 200 * y:.1f}" for x, y in report["curve"])
        plots = (f'<h2>Privacy</h2><svg width="280" height="90" role="img" aria-label="Privacy, from 0 to 1">{bars}</svg>'
                 f'<h2>Attack by the loss</h2><svg width="240" height="240" role="img" aria-label="True positives by false positives">'
                 f'<path d="M20 220 L220 20" stroke="#999"/><path d="M20 20V220H220" stroke="#000" fill="none"/>'
                 f'<polyline points="{line}" stroke="#0a58ca" fill="none" stroke-width="2"/></svg>')
    return ('<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Audit of a model</title>'
            '<style>body{font-family:sans-serif;margin:2em}th{text-align:left;font-weight:normal;padding-right:2em}rect{fill:#0a58ca}</style>'
            f"<h1>Audit of a model</h1><table>{cells}</table>{plots}</html>\n")


def failures(report, privacy, f1):
    """What a report shows against a model."""
    if "privacy" in report:
        if report["privacy"]["total"] < privacy:
            yield f"privacy is {report['privacy']['total']:.3f}, below {privacy}"
        if report["low-cost attack"]["f1"] > f1:
            yield f"the low-cost attack has an F1 of {report['low-cost attack']['f1']:.3f}, above {f1}"
    if n := report["outputs"]["identifying 1-grams"]:
        yield f"outputs have {n} identifying words"


def parser():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    model = p.add_mutually_exclusive_group(required=True)
    model.add_argument("-m", "--lm", help="model of 'recover.py lm'")
    model.add_argument("--openai", metavar="URL", help="server, to whose URL /completions is added; it supports echo with logprobs")
    model.add_argument("--outputs", metavar="FILE", help="outputs of a model, as JSON lines with output and, if there was one, prompt")
    p.add_argument("--members", metavar="FILE", help="labelled calls that the model has learned, as JSON lines")
    p.add_argument("--others", metavar="FILE", help="labelled calls that it has not learned")
    p.add_argument("--blacklist", metavar="FILE", required=True, help="list of 'sotto corpus blacklist' of all these calls")
    p.add_argument("--sotto", metavar="PROGRAM", help="the program sotto, to look for personal information in outputs")
    p.add_argument("--model", default="", help="name of the server's model")
    p.add_argument("--key-file", help="file with the key of the server")
    p.add_argument("--timeout", type=float, default=60, help="seconds that a request may take (%(default)s)")
    p.add_argument("--retries", type=int, default=5, help="how often a request is repeated that failed for a reason that may pass (%(default)s)")
    p.add_argument("--rate", type=float, default=10, help="requests a second at most; 0: no limit (%(default)s)")
    p.add_argument("--html", metavar="FILE", help="write the report as a page, too")
    p.add_argument("--json", action="store_true", help="print JSON")
    p.add_argument("--check", action="store_true", help="exit with status 3 if the limits below do not hold, or if outputs identify somebody")
    p.add_argument("--min-privacy", type=float, default=0.99, help="limit for --check (%(default)s)")
    p.add_argument("--max-f1", type=float, default=0.1, help="limit of the low-cost attack for --check (%(default)s)")
    return p


def run(a):
    with open(a.blacklist, encoding="utf-8") as f:
        if not f.readline().startswith("# sotto blacklist"):
            raise ValueError(f"{a.blacklist} is not a list of 'sotto corpus blacklist'")
        blacklist = {line.rstrip("\n") for line in f}
    if a.outputs:
        try:
            found = [json.loads(line) for line in pathlib.Path(a.outputs).read_text(encoding="utf-8").splitlines()]
            pairs = [(str(d.get("prompt", "")), d["output"] + "") for d in found]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"{a.outputs} does not have an object with output on each line") from None
        report = outputs(pairs, blacklist)
    elif not a.members or not a.others:
        raise ValueError("a model is audited with --members and --others")
    else:
        key = pathlib.Path(a.key_file).read_text(encoding="utf-8").strip() if a.key_file else ""
        model = BuiltIn(a.lm) if a.lm else Remote(a.openai, False, a.model, key=key, timeout=a.timeout, retries=a.retries, rate=a.rate)
        members, others = read_calls(a.members), read_calls(a.others)
        if not members or not others:
            raise ValueError("there are no members, or no others")
        report, pairs = audit(model, members, others, blacklist)
    if a.sotto:
        report["personal information"] = personal(a.sotto, [o for _, o in pairs])
    if a.html:
        write_file(a.html, lambda f: f.write(page(report)))
    print(json.dumps(report) if a.json else "\n".join(f"{n:40}{shown(x):>10}" for n, x in rows(report)))
    if a.check and (problems := list(failures(report, a.min_privacy, a.max_f1))):
        print("audit.py: " + "; ".join(problems), file=sys.stderr)
        sys.exit(3)


def main(args=None):
    try:
        run(parser().parse_args(args))
    except (ValueError, OSError, Temporary, Refused, subprocess.CalledProcessError) as e:
        sys.exit(f"audit.py: {e}")


if __name__ == "__main__":
    main()
