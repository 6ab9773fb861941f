"""A train step of PyTorch/XLA whose hidden layer is scaled by a Python number or not: torch_scalar.py before|after. The number enters the graph as an
argument, which moves all arguments behind it."""

import sys

import torch
import torch_xla

device = torch_xla.device()
torch.manual_seed(0)
hidden, head = torch.nn.Linear(16, 32).to(device), torch.nn.Linear(32, 4).to(device)
optimizer = torch.optim.SGD([*hidden.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(8, 16).to(device), torch.randint(4, (8,)).to(device)


def forward():
    h = torch.tanh(hidden(x))
    if sys.argv[1] == "after":
        h = h + torch.sigmoid(h) * 0.3
    return head(h)


torch_xla.sync()
for _ in range(3):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(forward(), y).backward()
    optimizer.step()
    torch_xla.sync()
