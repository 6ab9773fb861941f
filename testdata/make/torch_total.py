"""A train step of PyTorch/XLA that adds up its loss before it goes backwards or after: torch_total.py before|after. The framework hands over the
arguments in another order."""

import sys

import torch
import torch_xla

device = torch_xla.device()
torch.manual_seed(0)
weight = torch.nn.Parameter(torch.randn(8, 4, device=device))
optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
total = torch.zeros((), device=device)
torch_xla.sync()
for _ in range(3):
    x = torch.randn(16, 8).to(device)
    optimizer.zero_grad()
    loss = torch.tanh(x @ weight).square().mean()
    if sys.argv[1] == "before":
        total += loss.detach()
    loss.backward()
    optimizer.step()
    if sys.argv[1] == "after":
        total += loss.detach()
    torch_xla.sync()
print(total.item())
