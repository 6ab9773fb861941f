"""A step that torch_xla.compile names: torch_compiled.py whole, with the graph ended after the loss (cut), or with the loss read there (read)."""
import sys

import torch
import torch.nn.functional as F
import torch_xla


def train_step(net, optimizer, x, y):
    optimizer.zero_grad()
    loss = F.mse_loss(net(x), y)
    if sys.argv[1] == "cut":
        torch_xla.sync()
    if sys.argv[1] == "read" and loss.item() > 1e4:
        raise FloatingPointError("the loss diverged")
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    return loss.detach()


torch.manual_seed(0)
device = torch_xla.device()
net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.Tanh(), torch.nn.Linear(32, 4)).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
step = torch_xla.compile(train_step, name="train_step")
for _ in range(3):
    x, y = torch.randn(8, 16).to(device), torch.randn(8, 4).to(device)
    step(net, optimizer, x, y)
