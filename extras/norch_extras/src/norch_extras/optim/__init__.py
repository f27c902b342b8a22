"""The further optimizers and schedules of torch.optim, and averages of weights.

The page book/library/optim.md names them.
"""

from norch_extras.optim.adafactor import Adafactor as Adafactor
from norch_extras.optim.adagrad import Adadelta as Adadelta, Adagrad as Adagrad
from norch_extras.optim.adam_variants import Adamax as Adamax, NAdam as NAdam, RAdam as RAdam
from norch_extras.optim.asgd_rprop import ASGD as ASGD, Rprop as Rprop
from norch_extras.optim.cyclic import CyclicLR as CyclicLR, OneCycleLR as OneCycleLR
from norch_extras.optim.lbfgs import LBFGS as LBFGS
from norch_extras.optim.lion import Lion as Lion
from norch_extras.optim.plateau import ReduceLROnPlateau as ReduceLROnPlateau
from norch_extras.optim.rmsprop import RMSprop as RMSprop
from norch_extras.optim.schedules import (
    ChainedScheduler as ChainedScheduler,
    MultiplicativeLR as MultiplicativeLR,
    PolynomialLR as PolynomialLR,
)
