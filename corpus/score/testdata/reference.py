"""Prints reference.json: what rouge_score 0.1.2, sacrebleu 2.6.0 and scikit-learn 1.9.1 say of invented texts.

    pip install rouge_score==0.1.2 sacrebleu==2.6.0 scikit-learn==1.9.1
    python reference.py >reference.json
"""

import json
import random

import sacrebleu
from rouge_score.rouge_scorer import RougeScorer
from sklearn.metrics import accuracy_score, f1_score

TEXTS = [
    ("The customer asked [PERSON_NAME_1] for a refund.", "The customer wants a refund from [PERSON_NAME_1]."),
    ("Agent will call back on the 3rd, at 10:30.", "The agent calls back at 10:30, on the 3rd"),
    ("Nothing to do.", ""),
    ("", "Nothing to do."),
    ("Zoë's café costs $1,250.00 - really?", "zoë's CAFÉ costs 1,250.00 dollars & really-\nyes"),
    ("send the form\ncall the bank\ncall the bank", "call the bank\nsend the form\ncall the bank &amp; wait"),
    ("a b c d e f g h", "h g f e d c b a"),
    ("the the the cat", "the cat the the the"),
    ("yes", "yes"),
    ("The line is 3-4 weeks old; e.g. it's (nearly) done_now.", "The line is 3 - 4 weeks old, e.g. it is nearly done now."),
]
CLASSES = ["billing", "refund", "cancel", "complaint"]


def bleu(pairs):
    return sacrebleu.corpus_bleu([o for _, o in pairs], [[r for r, _ in pairs]]).score / 100


def main():
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    random.seed(1)
    words = "the a customer agent refund call back form bank, 3.5 10,000 is was not sent. [URL_1]".split()
    pairs = TEXTS + [tuple(" ".join(random.choices(words, k=random.randint(1, 25))) for _ in range(2)) for _ in range(40)]
    rows = []
    for reference, output in pairs:
        scores = scorer.score(reference, output)
        rows.append({"reference": reference, "output": output, "rouge": [scores[k].fmeasure for k in ("rouge1", "rouge2", "rougeL")], "bleu": bleu([(reference, output)])})
    want = random.choices(CLASSES, k=60)
    got = [w if random.random() < 0.6 else random.choice([*CLASSES[1:], "other"]) for w in want]
    f1, accuracy = f1_score(want, got, average="macro"), accuracy_score(want, got)
    print(json.dumps({"rows": rows, "bleu": bleu(pairs), "references": want, "outputs": got, "f1": f1, "accuracy": accuracy}, indent=1))


main()
