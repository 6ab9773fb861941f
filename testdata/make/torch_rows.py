"""A train step of PyTorch/XLA over batches of one size or of several: torch_rows.py steady|ragged."""

import sys

import torch
import torch_xla

device = torch_xla.device()
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4)).to(device)
optimizer = torch.optim.AdamW(model.parameters())


def train_step(x, label):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), label)
    loss.backward()
    optimizer.step()
    torch_xla.sync()


for step in range(4):
    rows = 8 - step if sys.argv[1] == "ragged" else 8
    train_step(torch.randn(rows, 16).to(device), torch.randint(0, 4, (rows,)).to(device))
