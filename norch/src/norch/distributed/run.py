"""The launcher, `python -m norch.distributed.run --nproc_per_node N script.py`: stage 6's."""

from norch_ddp.run import main as main

if __name__ == "__main__":
    raise SystemExit(main())
