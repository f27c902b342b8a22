"""Values that are there later: re-exported from stage 6, `norch_ddp.work`."""

from norch_ddp.work import Future as Future
