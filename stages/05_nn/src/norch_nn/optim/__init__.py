"""Optimizers and schedules: parameters are changed in place, never replaced."""

# fmt: off
from norch_nn.optim import lr_scheduler as lr_scheduler
from norch_nn.optim.adafactor import Adafactor as Adafactor
from norch_nn.optim.adagrad import Adadelta as Adadelta, Adagrad as Adagrad
from norch_nn.optim.adam import Adam as Adam, AdamW as AdamW
from norch_nn.optim.adam_variants import Adamax as Adamax, NAdam as NAdam, RAdam as RAdam
from norch_nn.optim.asgd_rprop import ASGD as ASGD, Rprop as Rprop
from norch_nn.optim.lbfgs import LBFGS as LBFGS
from norch_nn.optim.lion import Lion as Lion
from norch_nn.optim.optimizer import Optimizer as Optimizer
from norch_nn.optim.rmsprop import RMSprop as RMSprop
from norch_nn.optim.sgd import SGD as SGD
