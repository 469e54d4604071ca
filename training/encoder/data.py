"""Labelled calls as windows of word pieces: what train.py learns from and what evaluate.py reads."""
import glob
import json
import os
import random
import re

MARK = re.compile(r"\{\{([A-Z0-9_]+)\|(.*?)\}\}")
TURN = re.compile(r"([^:]{1,60}):\s?(.*)$")
WORD = re.compile(r"\w+|[^\w\s]")

# The labels of the network. The first is "no value". Types that hardly occur are learned as GENERIC_ID: what
# tells them apart is their form, which rules prove.
LABELS = ["O", "PERSON_NAME", "ORGANIZATION_NAME", "PRODUCT", "LOCATION", "US_STATE", "STREET_ADDRESS", "PHONE_NUMBER", "EMAIL_ADDRESS",
          "DOMAIN_NAME", "URL", "USER_NAME", "AGE", "DATE_OF_BIRTH", "MEDICAL_TERM", "GENERIC_ID", "NUMERIC", "CREDIT_CARD_NUMBER", "SSN",
          "MEDICAL_RECORD_NUMBER", "VEHICLE_IDENTIFICATION_NUMBER", "PASSPORT", "ROUTING_NUMBER", "VAT_NUMBER", "IMEI_HARDWARE_ID",
          "IBAN_CODE", "SWIFT_CODE", "MAC_ADDRESS", "IP_ADDRESS", "LOCATION_COORDINATES", "ICCID_NUMBER", "ICD10_CODE",
          "DATE", "TIME", "MONEY", "OTHER"]
# Labels that are learned and never masked by themselves.
KEPT = {"O", "DATE", "TIME", "MONEY", "OTHER"}
INDEX = {name: i for i, name in enumerate(LABELS)}
# Types that few calls have: a pass reads those calls twice.
RARE = {"MEDICAL_RECORD_NUMBER", "VEHICLE_IDENTIFICATION_NUMBER", "PASSPORT", "ROUTING_NUMBER", "VAT_NUMBER", "IMEI_HARDWARE_ID", "IBAN_CODE",
        "SWIFT_CODE", "ICCID_NUMBER", "ICD10_CODE", "LOCATION_COORDINATES", "US_STATE", "DOMAIN_NAME", "URL"}
SAME = {"GENDER": "OTHER", "ETHNIC_GROUP": "OTHER", "MAC_ADDRESS_LOCAL": "MAC_ADDRESS", "ICD9_CODE": "ICD10_CODE",
        "STORAGE_SIGNED_URL": "URL", "SPELLED_WORD": "PERSON_NAME"}

# How many conversations of each set of others a pass reads beside our own calls.
OTHERS = dict(evi=400, multidogo=400, multidogo_asr=250, fakevcons=60, fakevcons_asr=40, ckm=80, abcd=250, presidio_synth=300,
              presidio_synth_asr=150, callgen=80, callgen_asr=80, wikigold=150, wnut17=250)


def label(name):
    return INDEX.get(SAME.get(name, name), INDEX["GENERIC_ID"])


def marked_up(path):
    """The calls of a marked-up file (corpora/GUIDE.md), with offsets in code points."""
    calls, call = [], None
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("###"):
            head = dict(field.partition("=")[::2] for field in line[3:].split())
            call = dict(id=head.get("id", ""), utterances=[])
            calls.append(call)
            continue
        turn = TURN.match(line)
        if not line.strip() or line.startswith("//") or call is None or not turn:
            continue
        speaker, marked = turn.groups()
        text, entities, at = "", [], 0
        for m in MARK.finditer(marked):
            text += marked[at:m.start()]
            start = len(text)
            text += m.group(2)
            entities.append(dict(start=start, end=len(text), type=m.group(1)))
            at = m.end()
        call["utterances"].append(dict(speaker=speaker, text=text + marked[at:], entities=entities))
    return [c for c in calls if c["utterances"]]


def gold(path):
    """The conversations of a file of JSON lines."""
    return [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]


def own_calls(pattern):
    """The calls of marked-up files; those with a rare type are there twice."""
    calls = [c for path in sorted(glob.glob(pattern)) for c in marked_up(path)]
    return calls + [c for c in calls if any(e["type"] in RARE for u in c["utterances"] for e in u["entities"])]


def other_calls(folder):
    """Samples of the sets of others that are there."""
    calls = []
    for name, count in OTHERS.items():
        path = os.path.join(folder, name + ".jsonl")
        if os.path.exists(path):
            calls += random.sample(all_of := gold(path), min(count, len(all_of)))
    return calls


def shape(word):
    """0 punctuation, 1 digits, 2 lower case, 3 capitalized or one capital, 4 capitals, 5 letters and digits, 6 mixed."""
    if not any(c.isalpha() for c in word):
        return 1 if any(c.isdigit() for c in word) else 0
    if any(c.isdigit() for c in word):
        return 5
    if word.islower():
        return 2
    if word.isupper():
        return 4 if len(word) > 1 else 3
    return 3 if word[0].isupper() else 6


def words(utterance, mode=0):
    """(word, start, end, label, begins a value, shape) of an utterance; mode 1 in lower case, mode 2 also without punctuation."""
    text = utterance["text"]
    kind, begin = [0] * len(text), set()
    for e in utterance["entities"]:
        begin.add(e["start"])
        for i in range(e["start"], min(e["end"], len(text))):
            kind[i] = label(e["type"])
    out = []
    for m in WORD.finditer(text):
        w, inside = m.group(), kind[m.start():m.end()]
        k = max(set(inside), key=lambda x: (inside.count(x), x))
        b = int(any(i in begin for i in range(m.start(), m.end())))
        if mode == 2 and not w[0].isalnum() and w not in "@'-_":
            continue
        out.append((w.lower() if mode else w, m.start(), m.end(), k, b, shape(w.lower() if mode else w)))
    return out


class Pieces:
    """Word pieces of words, as the pretrained model has them."""

    def __init__(self, tokenizer):
        self.tokenizer, self.known = tokenizer, {}
        self.separator = tokenizer.sep_token_id

    def __call__(self, word):
        word = word.lower()
        if word not in self.known:
            self.known[word] = self.tokenizer.convert_tokens_to_ids(self.tokenizer.tokenize(word)) or [self.tokenizer.unk_token_id]
        return self.known[word]


def windows(call, mode, size, pieces):
    """Windows of whole turns: lists of (piece, shape, speaker, turn, label, begin, place). Only the first piece of a word has a label
    and a place; -100 is no label. A window that is full is followed by one that begins with its last third, without labels."""
    speakers, out, window = {}, [], []
    for u, utterance in enumerate(call["utterances"]):
        speaker = 1 + speakers.setdefault(utterance.get("speaker", ""), len(speakers)) % 2
        turn = [(pieces.separator, 0, speaker, u, -100, -100, None)]
        for w, start, end, k, b, sh in words(utterance, mode):
            for j, p in enumerate(pieces(w)):
                turn.append((p, sh, speaker, u, k if j == 0 else -100, b if j == 0 else -100, (u, start, end) if j == 0 else None))
        while len(turn) > size:
            if window:
                out.append(window)
            out.append(turn[:size])
            window, turn = [], turn[size:]
        if len(window) + len(turn) > size:
            out.append(window)
            window = [(p, sh, sp, t, -100, -100, None) for p, sh, sp, t, _, _, _ in window[-(size // 3):]]
            if len(window) + len(turn) > size:
                window = []
        window = window + turn
    if window:
        out.append(window)
    return [w for w in out if any(x[4] != -100 for x in w)]
