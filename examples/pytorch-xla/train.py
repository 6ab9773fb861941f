"""A small text classifier in PyTorch/XLA, trained on counting words: embedding, two layers of attention, AdamW."""

import argparse

import torch
import torch_xla

BATCH, LENGTH, VOCABULARY, CLASSES = 8, 32, 64, 4
LAYERS, WIDTH, HEADS = 2, 64, 4


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(WIDTH) for _ in range(2))
        self.qkv, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.mlp = torch.nn.Sequential(torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.GELU(), torch.nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(self.norms[0](x)).chunk(3, -1))
        weights = torch.softmax(q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5, -1)
        x = x + self.out((weights @ v).transpose(1, 2).flatten(-2))
        return x + self.mlp(self.norms[1](x))


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = torch.nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.head = torch.nn.Linear(WIDTH, CLASSES)

    def forward(self, tokens):
        return self.head(self.blocks(self.embed(tokens)).mean(1))


def batches(samples):
    tokens = torch.randint(VOCABULARY, (samples, LENGTH))
    labels = (tokens < VOCABULARY // 2).sum(1) * CLASSES // (LENGTH + 1)
    data = torch.utils.data.TensorDataset(tokens, labels)
    return torch.utils.data.DataLoader(data, BATCH, drop_last=True)


def train_step(model, optimizer, tokens, labels):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(tokens), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=36)
    samples = parser.parse_args().samples

    torch.manual_seed(0)
    device = torch_xla.device()
    model = Classifier().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    step = torch_xla.compile(train_step, name="train_step")
    losses = []
    for tokens, labels in batches(samples):
        losses.append(step(model, optimizer, tokens.to(device), labels.to(device)))
    print("loss", *(f"{loss:.4f}" for loss in torch.stack(losses).cpu()))


if __name__ == "__main__":
    main()
