"""A train step of PyTorch/XLA, and a graph that stacks the losses of all steps behind the loop: torch_losses.py steady|ragged|wide|read. The line behind
each case is what an edit makes of it: a last batch of another size, losses in f64, a loss that is read in the step."""

import sys

import torch
import torch_xla

case = sys.argv[1]


def objective(logits, x):
    error = logits - x
    weights = torch.linspace(1, 2, 16, dtype=torch.float64 if case == "wide" else torch.float32).to(x.device)
    return (error * error * weights).mean()


def train_step(model, optimizer, x):
    optimizer.zero_grad()
    loss = objective(model(x), x)
    loss.backward()
    if case != "read" or loss.item() < 100:
        optimizer.step()
    return loss.detach()


def main():
    device = torch_xla.device()
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 16)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(torch.randn(29, 16), 8, drop_last=case != "ragged")
    torch_xla.sync()
    losses = []
    for x in loader:
        losses.append(train_step(model, optimizer, x.to(device)))
        torch_xla.sync()
    print("losses", torch.stack(losses).cpu().tolist())


main()
