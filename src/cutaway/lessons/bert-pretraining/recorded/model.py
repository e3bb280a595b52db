"""BERT pretraining with every size reduced until each number can be read.

Devlin et al. 2018, section 3 and appendix A.2: one post-LayerNorm encoder layer, a masked-token head whose decoder
is the token embedding again, and a next-sentence head on the pooled first row. Sizes: length T = 6, width 8,
2 heads of 4, vocabulary 16. The order in which modules are made is part of the recipe: it fixes the weights.
"""

import torch
from torch import nn
from torch.nn import functional as F

LENGTH, WIDTH, HEADS, INNER, VOCABULARY, SEGMENTS = 6, 8, 2, 32, 16, 2


class Embeddings(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.segment = nn.Embedding(SEGMENTS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, input_ids, token_type_ids):
        positions = torch.arange(LENGTH)
        summed = self.token(input_ids) + self.position(positions) + self.segment(token_type_ids)
        return self.norm(summed)  # (T, 8)


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)

    def forward(self, hidden, attention_bias, head_gate):
        queries = self.query(hidden).view(LENGTH, HEADS, -1).transpose(0, 1)  # (heads, T, 4)
        keys = self.key(hidden).view(LENGTH, HEADS, -1).transpose(0, 1)
        values = self.value(hidden).view(LENGTH, HEADS, -1).transpose(0, 1)
        scores = queries @ keys.transpose(1, 2) / (WIDTH // HEADS) ** 0.5
        biased = scores + attention_bias  # zeros: read both ways; -inf above the diagonal: left only
        probs = biased.softmax(-1)  # (heads, T, T)
        context = probs @ values * head_gate.view(HEADS, 1, 1)
        return self.output(context.transpose(0, 1).reshape(LENGTH, WIDTH))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.expand = nn.Linear(WIDTH, INNER)
        self.contract = nn.Linear(INNER, WIDTH)

    def forward(self, hidden):
        return self.contract(F.gelu(self.expand(hidden)))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = SelfAttention()
        self.attention_norm = nn.LayerNorm(WIDTH)
        self.feed_forward = FeedForward()
        self.feed_forward_norm = nn.LayerNorm(WIDTH)

    def forward(self, hidden, attention_bias, head_gate):
        attended = self.attention_norm(hidden + self.attention(hidden, attention_bias, head_gate))
        return self.feed_forward_norm(attended + self.feed_forward(attended))


class MaskedTokenHead(nn.Module):
    def __init__(self, token):
        super().__init__()
        self.transform = nn.Linear(WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.decoder = nn.Linear(WIDTH, VOCABULARY)
        self.decoder.weight = token.weight  # one table reads tokens in and writes them out

    def forward(self, hidden):
        return self.decoder(self.norm(F.gelu(self.transform(hidden))))  # (T, 16)


class NextSentenceHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.pooler = nn.Linear(WIDTH, WIDTH)
        self.classifier = nn.Linear(WIDTH, 2)  # 0 = IsNext, 1 = NotNext

    def forward(self, hidden):
        pooled = self.pooler(hidden[0]).tanh()
        return self.classifier(pooled)  # (2,)


class ReducedBert(nn.Module):
    def __init__(self):
        super().__init__()
        self.embeddings = Embeddings()
        self.encoder = EncoderLayer()
        self.masked_token = MaskedTokenHead(self.embeddings.token)
        self.next_sentence = NextSentenceHead()

    def forward(self, input_ids, token_type_ids, attention_bias, head_gate, labels, next_sentence_label):
        hidden = self.encoder(self.embeddings(input_ids, token_type_ids), attention_bias, head_gate)
        mlm_logits, nsp_logits = self.masked_token(hidden), self.next_sentence(hidden)
        packed = torch.cat([mlm_logits.flatten(), nsp_logits])  # 96 + 2 numbers
        mlm_probs, nsp_probs = mlm_logits.softmax(-1), nsp_logits.softmax(-1)
        mlm_loss = F.cross_entropy(mlm_logits, labels)  # rows labelled -100 are not targets
        nsp_loss = F.cross_entropy(nsp_logits, next_sentence_label)
        loss = mlm_loss + nsp_loss
        return {
            "mlm_logits": mlm_logits, "nsp_logits": nsp_logits, "packed": packed,
            "mlm_probs": mlm_probs, "nsp_probs": nsp_probs,
            "mlm_loss": mlm_loss, "nsp_loss": nsp_loss, "loss": loss,
        }  # fmt: skip
