"""Three formulas for a long run on many parts: how often it fails, when to save, what batch pays.

Nothing is simulated here: each is one line of a paper, with its symbols.
"""

from __future__ import annotations

import math


def mean_time_between_failures(one: float, parts: int) -> float:
    """Return M / N: N parts that each fail once in M seconds stop a run that needs all of them.

    >>> year = 365 * 24 * 3600
    >>> f"{mean_time_between_failures(6 * year, 16384) / 3600:.1f} hours"
    '3.2 hours'
    """
    return one / parts


def checkpoint_interval(save: float, between: float) -> float:
    """Return sqrt(2 C M): how long to train between two checkpoints of C seconds, failing every M.

    Young, "A first order approximation to the optimum checkpoint interval", 1974; Daly, 2006. Of
    the time about sqrt(2 C / M) is then lost, half to saving and half to what is done again.

    >>> f"{checkpoint_interval(60, 3 * 3600) / 60:.0f} minutes"
    '19 minutes'
    """
    return math.sqrt(2 * save * between)


def critical_batch(variance: float, squared: float) -> float:
    """Return tr(S) / |G|^2: the batch beyond which twice the samples save few steps.

    S is the covariance of one sample's gradient, G the true gradient: their quotient is the simple
    noise scale of McCandlish et al., "An Empirical Model of Large-Batch Training", 2018. With a
    batch B a run needs 1 + critical / B times the fewest steps, and 1 + B / critical times the
    fewest samples.

    >>> critical_batch(variance=50.0, squared=0.1)
    500.0
    """
    return variance / squared
