"""Makes the files of this folder: small tokenizers, and the tokens that they give.

Run it in the root of the repository, with the package tokenizers installed.
"""
import glob
import json
import re

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

FOLDER = "corpus/tokenizer/testdata/"
EXTRA = [
    "Hello, I'm [PERSON_NAME_1] from Zoë's café — it's 42!\nagent: yes",
    "agent: hello there\ncustomer: naïve 日本 😀 ok",
    "  two  spaces",
]

lines = []
for path in sorted(glob.glob("corpora/calls/train/*.txt"))[:6]:
    for line in open(path, encoding="utf-8"):
        if re.match(r"^[A-Z_0-9]+: ", line):
            lines.append(re.sub(r"\{\{[A-Z_]+\|([^}]*)\}\}", r"\1", line.split(": ", 1)[1].strip()))

bpe = Tokenizer(models.BPE())
bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
bpe.post_processor = processors.ByteLevel(trim_offsets=False)
bpe.train_from_iterator(lines, trainers.BpeTrainer(
    vocab_size=500, special_tokens=["<|endoftext|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))

wordpiece = Tokenizer(models.WordPiece(unk_token="[UNK]"))
wordpiece.normalizer = normalizers.BertNormalizer(lowercase=True)
wordpiece.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
wordpiece.train_from_iterator(lines, trainers.WordPieceTrainer(
    vocab_size=500, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]))

with open(FOLDER + "tokens.jsonl", "w", encoding="utf-8") as out:
    for name, tokenizer in (("bpe.json", bpe), ("wordpiece.json", wordpiece)):
        tokenizer.save(FOLDER + name)
        for text in EXTRA + lines[100:140]:
            e = tokenizer.encode(text, add_special_tokens=False)
            row = {"ids": e.ids, "offsets": e.offsets, "file": name, "text": text}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
