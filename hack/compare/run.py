#!/usr/bin/env python3
"""Compares other tools with Sotto on labelled conversations, prints the tables of docs/comparison.md, and puts them
there. What a tool has found in a set is kept in .cache/compare, so that an interrupted run goes on where it was.

    hack/compare/run.py [TOOL...]
"""

import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

os.chdir(Path(__file__).parents[2])
HERE, WORK, PAGE = Path("hack/compare"), Path(".cache/compare"), Path("docs/comparison.md")
DEV = Path("../shared/corpora/dev")
SETS = {
    "calls": [*sorted(Path("training/corpora/calls/test").glob("*.txt"))],
    **{name: [DEV / f"{name}.jsonl"] for name in ("evi", "fakevcons", "multidogo", "earnings21")},
}
GROUPS = {
    "people": "PERSON_NAME", "organizations, products": "ORGANIZATION_NAME,PRODUCT", "places, addresses": "LOCATION,US_STATE,STREET_ADDRESS",
    "phones, cards, codes": "PHONE_NUMBER,CREDIT_CARD_NUMBER,SSN,GENERIC_ID,PASSPORT,ROUTING_NUMBER,MEDICAL_RECORD_NUMBER,VEHICLE_IDENTIFICATION_NUMBER,VAT_NUMBER",
    "e-mail, user names": "EMAIL_ADDRESS,USER_NAME", "birth dates, ages": "DATE_OF_BIRTH,AGE", "medical": "MEDICAL_TERM",
}
# Sotto's speed is measured over at least so many utterances, since its start is part of it.
UTTERANCES = 100_000
DEPENDENCIES = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"


def sotto(*args, **options):
    return subprocess.run(["bin/sotto", *map(str, args)], check=True, stdout=subprocess.PIPE, **options).stdout


def whole(path, data):
    """Writes a file that is there as a whole or not at all."""
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.rename(path)


def prepare(name):
    """Writes the labelled set, and a copy without labels, which is all that a tool sees."""
    labelled, texts = WORK / f"{name}.jsonl", WORK / f"{name}.texts.jsonl"
    lines = b"".join(sotto("corpus", "convert", f) if f.suffix == ".txt" else f.read_bytes() for f in SETS[name])
    whole(labelled, lines)
    calls = [json.loads(line) for line in lines.splitlines()]
    for c in calls:
        c["utterances"] = [{"speaker": u["speaker"], "text": u["text"]} for u in c["utterances"]]
    whole(texts, "".join(json.dumps(c, ensure_ascii=False) + "\n" for c in calls).encode())
    return labelled, texts


def install(tool):
    """Installs the packages of a tool, and returns the command of its adapter."""
    folder, home = HERE / tool, WORK / "tools" / tool
    package, alone, pom = folder / "package.json", folder / "no-deps.txt", folder / "pom.xml"
    listed = b"".join(f.read_bytes() for f in sorted(folder.iterdir()) if not f.name.startswith("adapter."))
    if not (home / "listed").exists() or (home / "listed").read_bytes() != listed:
        print(f"installing {tool} ...", file=sys.stderr)
        home.mkdir(parents=True, exist_ok=True)
        if package.exists():
            shutil.copy(package, home)
            subprocess.run(["npm", "install", "--silent", "--ignore-scripts"], cwd=home, check=True)
        else:
            subprocess.run([sys.executable, "-m", "venv", home], check=True)
            pip = [home / "bin/pip", "install", "-q", "--disable-pip-version-check"]
            subprocess.run([*pip, "-r", folder / "requirements.txt"], check=True)
            if alone.exists():  # without the packages and the version of Python that they ask for
                subprocess.run([*pip, "--no-deps", "--ignore-requires-python", "-r", alone], check=True)
        if pom.exists():
            subprocess.run(["mvn", "-q", "-B", "-f", pom, f"{DEPENDENCIES}:copy-dependencies", f"-DoutputDirectory={home.absolute()}/jars"], check=True)
        (home / "listed").write_bytes(listed)
    if package.exists():  # node looks for packages beside the program
        (home / "adapter.mjs").write_bytes((folder / "adapter.mjs").read_bytes())
        return ["node", home / "adapter.mjs"]
    return [home / "bin/python", folder / "adapter.py"]


def masks(tool, name, texts):
    """What a tool finds in a set, and what it took."""
    digest = hashlib.sha256(texts.read_bytes())
    for f in sorted([HERE / "adapter.py", *(HERE / tool).iterdir()]):
        digest.update(f.read_bytes())
    found = WORK / f"{tool}-{name}-{digest.hexdigest()[:16]}.jsonl"
    took = found.with_suffix(".json")
    if not took.exists():
        command = install(tool)
        print(f"{tool} reads {name} ...", file=sys.stderr)
        with texts.open() as f:
            r = subprocess.run(command, stdin=f, capture_output=True)
        if r.returncode:
            raise SystemExit(f"{tool}: {r.stderr.decode()[-2000:]}")
        whole(found, r.stdout)
        whole(took, r.stderr.splitlines()[-1])
    return found, json.loads(took.read_text())


def union(tools, name, texts):
    """What several tools mask together in a set, and what they took together."""
    parts = [masks(tool, name, texts) for tool in tools]
    found = WORK / f"{'+'.join(tools)}-{name}.jsonl"
    lines = []
    for calls in zip(*(map(json.loads, f.read_text().splitlines()) for f, _ in parts), strict=True):
        for same in zip(*(c["utterances"] for c in calls), strict=True):
            same[0]["entities"] = [e for u in same for e in u["entities"]]
        lines.append(json.dumps(calls[0], ensure_ascii=False) + "\n")
    whole(found, "".join(lines).encode())
    return found, {"utterances": parts[0][1]["utterances"], "seconds": sum(took["seconds"] for _, took in parts)}


def runs_here(tool):
    return not (HERE / tool / "pom.xml").exists() or (shutil.which("mvn") and shutil.which("java"))


def percent(x):
    return "-" if x is None else f"{100 * x:.1f} %"


def figures(r):
    return [percent(r["recall_chars"]), percent(r["over_masked_tokens"]), percent(r["fully_anonymized_calls_direct"]),
            f"{r['residual_risk']['mean_plus_std']:.1f}"]


def speed_of_sotto(texts):
    """Utterances per second of processor time of a whole process that reads raw events and writes clean ones."""
    events, n = [], 0
    while n < UTTERANCES:
        for file in texts:
            for line in file.open():
                for seq, u in enumerate(json.loads(line)["utterances"]):
                    events.append(json.dumps({"call_id": f"c-{len(events) - seq}", "seq": seq + 1, "type": "UTTERANCE", "text": u["text"]}))
                    n += 1
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    sotto("anonymize", input="\n".join(events).encode())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return n / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    known = tomllib.loads((HERE / "tools.toml").read_text())
    tools = {t: known[t] for t in sys.argv[1:] or known if all(map(runs_here, known[t].get("union", [t])))}
    for tool in known.keys() - tools.keys() if not sys.argv[1:] else ():
        print(f"{tool} is left out: it needs Maven and Java", file=sys.stderr)
    sets = {}
    for name, files in SETS.items():
        if all(f.exists() for f in files):
            sets[name] = prepare(name)
        else:
            print(f"{name} is left out: {files[0].parent} is not there", file=sys.stderr)
    speed = {"Sotto": speed_of_sotto([t for _, t in sets.values()])}
    out = []
    groups = {}
    for name, (labelled, texts) in sets.items():
        out += [f"### {name}", "", "| | characters masked | of the claimed types | over-masked | no direct identifier missed | risk, mean + std |",
                "|---|---|---|---|---|---|"]

        def row(title, score, claims=None):
            f = figures(score())
            f.insert(1, percent(score("--types", ",".join(claims))["recall_chars"]) if claims else f[0])
            out.append(f"| {title} | " + " | ".join(f) + " |")
            if name == "calls":
                groups[title] = [percent(score("--types", types)["recall_chars"]) for types in GROUPS.values()]

        for title, of in ("Sotto, live", lambda r: r), ("Sotto, finished", lambda r: r["variants"]["finished"]):
            row(title, lambda *a: of(json.loads(sotto("eval", "--json", "--gold", labelled, *a))))
        for tool, about in tools.items():
            parts = about.get("union", [tool])
            found, took = union(parts, name, texts) if parts != [tool] else masks(tool, name, texts)
            seen = speed.setdefault(about["title"], {"utterances": 0, "seconds": 0})
            for k in seen:
                seen[k] += took[k]
            row(about["title"], lambda *a: json.loads(sotto("eval", "--json", "--gold", labelled, "--masks", found, *a)),
                {t for p in parts for t in known[p]["claims"]})
        out.append("")
    out += ["### calls, by kind of value", "", "| characters masked | " + " | ".join(GROUPS) + " |", "|---|" + "---|" * len(GROUPS)]
    out += [f"| {title} | " + " | ".join(f) + " |" for title, f in groups.items()]
    out += ["", "### Speed", "", "| | utterances per second of processor time | Sotto is faster by |", "|---|---|---|"]
    for title, s in speed.items():
        rate = s if title == "Sotto" else s["utterances"] / s["seconds"]
        by = "" if title == "Sotto" else f"{speed['Sotto'] / rate:,.0f} times"
        out.append(f"| {title} | {rate:,.0f} | {by} |")
    out += ["", "### The tools", "", "| | licence | set up with |", "|---|---|---|"]
    out += [f"| {a['title']} | {a['licence']} | {a['how']} |" for a in tools.values()]
    print("\n".join(out))
    if len(sets) == len(SETS) and len(tools) == len(known):
        head, _, rest = PAGE.read_text().partition("<!-- Printed by `make compare`: begin -->")
        _, _, tail = rest.partition("<!-- end -->")
        PAGE.write_text(f"{head}<!-- Printed by `make compare`: begin -->\n\n" + "\n".join(out) + f"\n\n<!-- end -->{tail}")


if __name__ == "__main__":
    main()
