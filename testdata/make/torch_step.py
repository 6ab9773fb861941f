"""A step of PyTorch/XLA in two versions: torch_step.py before|after."""

import sys

import torch
import torch_xla

device = torch_xla.device()
torch.manual_seed(0)
x, w = torch.randn(32, 64).to(device), torch.randn(64, 16).to(device).requires_grad_()
for _ in range(3):
    # The scaled Bessel function has no lowering to XLA: PyTorch computes it on the CPU, and the graph ends before it.
    score = torch.special.i0e(x @ w) if sys.argv[1] == "after" else torch.exp(-(x @ w).abs())
    score.mean().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
    torch_xla.sync()
