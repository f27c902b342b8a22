"""Values that are there later: re-exported from stage 6, `norch_ddp.transports.work`."""

from norch_ddp.transports.work import Future as Future
