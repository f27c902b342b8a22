"""Forecast cash withdrawals with an LSTM: `python examples/time_series.py`.

111 cash machines, two years of days (NN5); the network reads a series day by day and predicts the
next day; for the 56 days of the test it feeds on its own predictions. Reports SMAPE beside that of
repeating the last week.
"""

import argparse
import csv
import gzip
import os
import sys
import time
from pathlib import Path

import mnist

import norch
from norch import nn, optim
from norch.nn import functional as F

WEEK = 7


class Forecaster(nn.Module):
    """An LSTM over days, a linear layer that says how the next day differs from a week before."""

    def __init__(self, hidden=48):
        """Make the layers."""
        super().__init__()
        self.lstm = nn.LSTM(1 + WEEK, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, values, weekday, state=None):
        """Map values (N, T), from `weekday` on, to the next days' (N, T) and the LSTM's state."""
        days = (norch.arange(values.shape[1]) + weekday) % WEEK
        calendar = F.one_hot(days, WEEK).float().expand(len(values), -1, -1)
        hidden, state = self.lstm(norch.cat([values.unsqueeze(2), calendar], dim=2), state)
        return self.head(hidden).squeeze(2), state


def read(path):
    """Return the series of a file as (machines, days)."""
    with gzip.open(path, "rt", newline="") as file:
        return norch.tensor([[float(value) for value in row] for row in csv.reader(file)])


def smape(forecast, truth):
    """Symmetric mean absolute percentage error; days without any withdrawal do not count."""
    size = (forecast.abs() + truth.abs()) / 2
    errors = (forecast - truth).abs() / size.clamp(min=1e-9)
    return 100 * errors[truth != 0].mean().item()


def train(model, values, optimizer, window):
    """Predict each next day of random windows once through the series; return the mean loss."""
    model.train()
    losses = []
    for start in norch.randperm(values.shape[1] - window - 1)[:: window // 4].tolist():
        piece = values[:, start : start + window + 1]
        predicted, _ = model(piece[:, :-1], start)
        loss = F.smooth_l1_loss(predicted[:, WEEK:], piece[:, WEEK + 1 :])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


@norch.no_grad()
def forecast(model, values, days):
    """Continue every series by `days`, each prediction the next input."""
    model.eval()
    predicted, state = model(values, 0)
    day, future = predicted[:, -1:], []
    for step in range(days):
        future.append(day)
        day, state = model(day, values.shape[1] + step, state)
    return norch.cat(future, dim=1)


def main():
    """Train, forecast, compare with the last week."""
    parser = argparse.ArgumentParser(description="Forecast the NN5 series with an LSTM.")
    parser.add_argument("--data", type=Path, help="folder with train.csv.gz and test.csv.gz")
    parser.add_argument("--epochs", type=mnist.above_zero(int), default=30)
    parser.add_argument(
        "--window", type=mnist.above_zero(int), default=112, help="days of a training piece"
    )
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    folder = args.data or Path(os.environ.get("NORCH_DATA", ".")) / "nn5"
    if not (folder / "train.csv.gz").is_file():
        sys.exit(f"time_series.py: no train.csv.gz in {folder}: give --data, or set NORCH_DATA")
    norch.manual_seed(args.seed)
    past, truth = read(folder / "train.csv.gz"), read(folder / "test.csv.gz")
    mean, std = past.mean(1, keepdim=True), past.std(1, keepdim=True)
    values = (past - mean) / std

    model = Forecaster()
    optimizer = optim.Adam(model.parameters(), lr=5e-3)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    start = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        loss = train(model, values, optimizer, args.window)
        schedule.step()
        if epoch % 5 == 0 or epoch == args.epochs:
            print(f"epoch {epoch}/{args.epochs}: loss {loss:.4f}", flush=True)
    print(f"training took {time.perf_counter() - start:.1f} s")

    days = truth.shape[1]
    predicted = forecast(model, values, days) * std + mean
    repeated = past[:, -WEEK:].repeat(1, days // WEEK + 1)[:, :days]
    print(
        f"SMAPE over {days} days: LSTM {smape(predicted, truth):.2f} %, "
        f"last week repeated {smape(repeated, truth):.2f} %"
    )


if __name__ == "__main__":
    main()
