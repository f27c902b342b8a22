"""`record`, with which scripts for torchrun wrap their main: re-exported from stage 6."""

from norch_ddp.abort import record as record
