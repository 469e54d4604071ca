"""Stanford CoreNLP with the annotators that find named entities, in the mode in which every classifier may label
everything, and without numbers and times, which are not asked for. It is under the GPL: this starts its command line as
a process and talks to it by lines. Utterances without an upper-case letter go to a second process that first restores
the case. Pages followed: https://stanfordnlp.github.io/CoreNLP/ner.html (ner.combinationMode: HIGH_RECALL) and
https://stanfordnlp.github.io/CoreNLP/caseless.html ("first correctly capitalize the text with a truecaser, and then to
process the text with the standard models")
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1]))
from adapter import run  # noqa: E402

TYPES = {
    "PERSON": "PERSON_NAME", "ORGANIZATION": "ORGANIZATION_NAME", "LOCATION": "LOCATION", "CITY": "LOCATION", "COUNTRY": "LOCATION",
    "STATE_OR_PROVINCE": "US_STATE", "EMAIL": "EMAIL_ADDRESS", "URL": "URL", "HANDLE": "USER_NAME",
}


COMMAND = [
    "java", "-Xmx2g", "-cp", f"{sys.prefix}/jars/*", "edu.stanford.nlp.pipeline.StanfordCoreNLP", "-outputFormat", "json",
    "-ner.combinationMode", "HIGH_RECALL", "-ner.applyNumericClassifiers", "false", "-ner.useSUTime", "false",
]


def start(*args):
    return subprocess.Popen([*COMMAND, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


cased = start("-annotators", "tokenize,pos,lemma,ner")
caseless = start("-annotators", "tokenize,truecase,pos,lemma,ner", "-truecase.overwriteText", "true")


def clock():
    used = [psutil.Process(p.pid).cpu_times() for p in (cased, caseless)]
    return time.process_time() + sum(u.user + u.system for u in used)


def find(text):
    process = cased if text != text.lower() else caseless
    # A line is a text; "q" alone would end the process.
    print(text.replace("\n", " ").replace("\r", " "), "", file=process.stdin, flush=True)
    answer = []
    while not answer or answer[-1] != "}\n":
        answer.append(process.stdout.readline() or sys.exit("CoreNLP has ended"))
    # Offsets count UTF-16 units.
    units = text.encode("utf-16-le")
    points = lambda n: len(units[: 2 * n].decode("utf-16-le"))  # noqa: E731
    for sentence in json.loads("".join(answer))["sentences"]:
        for m in sentence["entitymentions"]:
            if m["ner"] in TYPES:
                yield points(m["characterOffsetBegin"]), points(m["characterOffsetEnd"]), TYPES[m["ner"]]


list(find("hello."))  # waits for the second process
run(find, clock)
