"""The network: a small pretrained encoder whose input knows the shape of a word and who speaks, and which labels words."""
import torch
import torch.nn as nn
import torch.nn.functional as F

SHAPES, SPEAKERS = 7, 3


class Net(nn.Module):
    """Logits of the labels, and last the logit that a word begins a value."""

    def __init__(self, bert, labels):
        super().__init__()
        width = bert.config.hidden_size
        self.bert = bert
        self.shape, self.speaker = nn.Embedding(SHAPES, width), nn.Embedding(SPEAKERS, width)
        self.head = nn.Linear(width, labels + 1)
        nn.init.zeros_(self.shape.weight)
        nn.init.zeros_(self.speaker.weight)

    def forward(self, piece, shape, speaker, turn, causal):
        """causal: a piece sees its own turn and earlier ones; otherwise the whole window. Padding has piece 0 and the last turn."""
        emb, heads = self.bert.embeddings, self.bert.config.num_attention_heads
        place = torch.arange(piece.shape[1])[None]
        x = emb.word_embeddings(piece) + self.shape(shape) + self.speaker(speaker) + emb.position_embeddings(place)
        x = emb.dropout(emb.LayerNorm(x + emb.token_type_embeddings(torch.zeros_like(piece))))
        seen = (piece != 0)[:, None, None, :]
        if causal:
            seen = seen & (turn[:, None, None, :] <= turn[:, None, :, None])
        bias = torch.zeros(seen.shape).masked_fill(~seen, -1e4)
        batch, length, width = x.shape
        for layer in self.bert.encoder.layer:
            a = layer.attention.self
            q, k, v = (f(x).view(batch, length, heads, width // heads).transpose(1, 2) for f in (a.query, a.key, a.value))
            # Written out, it is three times as fast on processors as torch's fused form, whose gradient in 16 bits is slow.
            weights = torch.softmax(q @ k.transpose(2, 3) * (width // heads) ** -0.5 + bias, 3)
            y = (weights.to(v.dtype) @ v).transpose(1, 2).reshape(batch, length, width)
            x = layer.attention.output(y, x)
            x = layer.output(layer.intermediate(x), x)
        return self.head(x)


def tensors(batch):
    """The windows of a batch as tensors of equal length: piece, shape, speaker, turn, label, begin."""
    length = max(map(len, batch))
    out = [torch.full((len(batch), length), fill, dtype=torch.long) for fill in (0, 0, 0, 10**6, -100, -100)]
    for i, window in enumerate(batch):
        for column, values in zip(out, list(zip(*window))[:6]):
            column[i, :len(window)] = torch.tensor(values)
    return out
