"""`record`, with which scripts for torchrun wrap their main: re-exported from stage 6."""

from norch_ddp.launch.abort import record as record
