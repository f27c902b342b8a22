"""The further optimizers and schedules of torch.optim, and averages of weights.

The page book/library/optim.md names them.
"""

from norch_extras.optim.adam_variants import Adamax as Adamax, NAdam as NAdam, RAdam as RAdam
from norch_extras.optim.combined_schedules import (
    ChainedScheduler as ChainedScheduler,
    SequentialLR as SequentialLR,
)
from norch_extras.optim.fused import (
    Adadelta as Adadelta,
    Adagrad as Adagrad,
    Lion as Lion,
    RMSprop as RMSprop,
)
from norch_extras.optim.lbfgs import LBFGS as LBFGS
from norch_extras.optim.per_parameter import ASGD as ASGD, Adafactor as Adafactor, Rprop as Rprop
from norch_extras.optim.schedules import (
    CyclicLR as CyclicLR,
    MultiplicativeLR as MultiplicativeLR,
    OneCycleLR as OneCycleLR,
    PolynomialLR as PolynomialLR,
    ReduceLROnPlateau as ReduceLROnPlateau,
)
