"""Two layers in one step: torch_cut.py whole, with the graph ended between them (cut), or with an operation whose gradient runs on the CPU (fallback)."""
import sys

import torch
import torch.nn.functional as F
import torch_xla


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(16, 32)
        self.down = torch.nn.Linear(32, 4)

    def forward(self, x):
        h = torch.tanh(self.up(x))
        if sys.argv[1] == "cut":
            torch_xla.sync()
        if sys.argv[1] == "fallback":
            h = F.interpolate(h.reshape(8, 1, 4, 8), scale_factor=1.0, mode="nearest").reshape(8, 32)
        return self.down(h)


torch.manual_seed(0)
device = torch_xla.device()
net = Net().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    x, y = torch.randn(8, 16).to(device), torch.randn(8, 4).to(device)
    loss = F.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    torch_xla.sync()
