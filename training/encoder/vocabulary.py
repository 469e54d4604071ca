"""Which word pieces of a pretrained model are kept, so that the table of their embeddings is small.

A piece that is dropped falls into shorter ones, which the training sees too: it must use the same vocabulary as the
exported model, so both take it from here.
"""
import collections
import os
import tempfile

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def keep(vocabulary, counts, size):
    """Returns the numbers of the `size` pieces to keep, in rising order.

    vocabulary: the pieces, by number, the frequent ones of the pretrained model first, as BERT has them.
    counts: how often a training corpus has each piece, by number (a dict or Counter; see `count`).

    Kept are the special pieces and all single characters, so that every text still has pieces; then what the corpus
    has, the frequent ones first; then the pretrained model's frequent pieces. Places that nothing has used go first.
    """
    def rank(number):
        piece = vocabulary[number]
        bare = piece.removeprefix("##")
        if piece in SPECIAL or len(bare) == 1:
            return (0, number)
        if counts.get(number):
            return (1, -counts[number], number)
        if piece.startswith("[unused"):
            return (4, number)
        return (2, number) if bare.isascii() else (3, number)

    ranked = sorted(range(len(vocabulary)), key=rank)
    if size < sum(rank(n)[0] == 0 for n in ranked):
        raise ValueError(f"{size} pieces do not hold the special ones and all single characters")
    return sorted(ranked[:size])


def count(tokenizer, texts):
    """Returns how often texts have each piece, by number."""
    counts = collections.Counter()
    for text in texts:
        counts.update(tokenizer.encode(text, add_special_tokens=False))
    return counts


def tokenizer(pieces):
    """Returns the tokenizer of a list of pieces, which are numbered in that order."""
    from transformers import BertTokenizerFast
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vocab.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(pieces) + "\n")
        return BertTokenizerFast(vocab_file=path, do_lower_case=True)


def pruned(vocabulary, kept):
    """Returns the pieces that are kept. The embedding of piece i of them is row kept[i] of the pretrained table."""
    return [vocabulary[n] for n in kept]


def read(path):
    """Reads a file with a piece in each line."""
    with open(path, encoding="utf-8") as f:
        return f.read().rstrip("\n").split("\n")
