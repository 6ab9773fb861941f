"""A train step of PyTorch/XLA over batches of one size or of several, with a value read in the middle of it, under a name of its own, or with a table of
which smaller batches take a part: torch_rows.py steady|ragged|watched|named|cropped."""

import sys

import torch
import torch_xla

case = sys.argv[1]
device = torch_xla.device()
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4)).to(device)
optimizer, places = torch.optim.AdamW(model.parameters()), torch.randn(8, 8).to(device)


def train_step(x, label):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(places[: len(x), : len(x)] @ x if case == "cropped" else x), label)
    if case == "watched":
        print(loss.item())
    loss.backward()
    optimizer.step()


if case == "named":
    train_step = torch_xla.compile(train_step, name="train_step")
for step in range(4):
    rows = 8 - step if case in ("ragged", "cropped") else 8
    train_step(torch.randn(rows, 16).to(device), torch.randint(0, 4, (rows,)).to(device))
    torch_xla.sync()
