"""A train step of PyTorch/XLA over batches of one size or of several, with a value read in the middle of it, or under a name of its own:
torch_rows.py steady|ragged|watched|named."""

import sys

import torch
import torch_xla

case = sys.argv[1]
device = torch_xla.device()
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4)).to(device)
optimizer = torch.optim.AdamW(model.parameters())


def train_step(x, label):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), label)
    if case == "watched":
        print(loss.item())
    loss.backward()
    optimizer.step()


if case == "named":
    train_step = torch_xla.compile(train_step, name="train_step")
for step in range(4):
    rows = 8 - step if case == "ragged" else 8
    train_step(torch.randn(rows, 16).to(device), torch.randint(0, 4, (rows,)).to(device))
    torch_xla.sync()
