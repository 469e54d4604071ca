"""Trains a masked language model on an export of `sotto corpus export` without asking it for an identifier,
with the settings of section 5.5 of Boutet et al.: blocks of 512 tokens, 16 in a batch, 15 % of the words
masked, and a learning rate that falls from 1e-4 to 0.

    python train.py EXPORT MODEL OUTPUT [EPOCHS]

MODEL is a masked model with its tokenizer, by its folder or its name, or a tokenizer.json with special
tokens: then it is a small one, from scratch.
"""

import sys

import numpy as np
import torch
import transformers

from collator import MaskedCollator, blocks, load


def open_model(name):
    if not name.endswith(".json"):
        return transformers.AutoTokenizer.from_pretrained(name), transformers.AutoModelForMaskedLM.from_pretrained(name)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=name, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", mask_token="[MASK]")
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=256,
        pad_token_id=tokenizer.pad_token_id)
    return tokenizer, transformers.BertForMaskedLM(config)


def main(export, name, output, epochs="4"):
    torch.manual_seed(0)
    tokenizer, model = open_model(name)
    collate = MaskedCollator(tokenizer.mask_token_id, tokenizer.pad_token_id)

    def tensors(batch):
        return {name: torch.from_numpy(array) for name, array in collate(batch).items()}

    data = {part: list(blocks(rows, tokenizer, 512, tokenizer.all_special_ids)) for part, rows in load(export).items()}
    loaders = {part: torch.utils.data.DataLoader(found, 16, shuffle=part == "train", collate_fn=tensors) for part, found in data.items()}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, int(epochs) * len(loaders["train"]))
    for epoch in range(int(epochs)):
        losses = {part: [] for part in loaders}
        for part, loader in loaders.items():
            model.train(part == "train")
            for batch in loader:
                loss = model(**batch).loss
                losses[part].append(loss.item())
                if part == "train":
                    loss.backward()
                    optimizer.step()
                    schedule.step()
                    optimizer.zero_grad()
        print(f"epoch {epoch + 1}:", ", ".join(f"loss of {part} {np.mean(found):.3f}" for part, found in losses.items()))
    model.save_pretrained(output)
    tokenizer.save_pretrained(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
