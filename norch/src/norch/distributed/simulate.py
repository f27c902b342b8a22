"""Training steps on paper, for 2 ranks or 4,096: re-exported from stage 6."""

from norch_ddp.simulate import (
    Compute as Compute,
    Event as Event,
    Gradient as Gradient,
    Layer as Layer,
    Level as Level,
    Memory as Memory,
    Plan as Plan,
    Step as Step,
    Topology as Topology,
    best as best,
    bucket_schedule as bucket_schedule,
    measure as measure,
    measure_link as measure_link,
    memory as memory,
    scaling as scaling,
    simulate as simulate,
    slowest as slowest,
    timeline as timeline,
    transformer as transformer,
)
