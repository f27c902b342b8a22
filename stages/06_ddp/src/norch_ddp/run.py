"""The launcher by its short name: `python -m norch_ddp.run`; it stands in `launch/run.py`."""

from norch_ddp.launch.run import main as main

if __name__ == "__main__":
    raise SystemExit(main())
