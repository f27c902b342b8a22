"""One model in many processes: re-exported from stage 6, `norch_ddp`."""

from norch_ddp import DistributedDataParallel as DistributedDataParallel
from norch_nn import DataParallel as DataParallel
