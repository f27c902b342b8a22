"""Which numbers of optimizers and schedulers differ from PyTorch's, each kind with its reason.

A training shows all of each step; explained.py lets no other rules speak of one.
"""

from fuzz.closeness import array_of
from fuzz.rules import Rule

NOTHING = 1e-20  # a loss below it is what rounding left of one


def is_at_the_end(call, side):
    """Whether a training came to a minimum, from where rounding leads on."""
    parts = [p for p in side.run(call, backward=False).parts if hasattr(p, "detach")]
    return any(p.numel() == 1 and abs(float(array_of(p))) < NOTHING for p in parts)


TRAININGS = [
    Rule(
        "value shape",
        r"optim\.LBFGS\(",
        "",
        "a loss that is 0 but for rounding: how it goes on from there is rounding's",
        when=is_at_the_end,
    ),
    Rule(
        "value shape",
        r"optim\.LBFGS\(.*(math\.|1e30|\d{9,})",
        "",
        "how often a search evaluates that goes through infinities",
        mistaken=True,
    ),
    Rule(
        "value",
        r"optim\.ASGD\(.*lambd=-",
        "nan|inf",
        "a rate that grows beyond every number: infinity times 0 or itself",
        mistaken=True,
    ),
    Rule(
        "value",
        r"optim\.\w+\(.*(nesterov|amsgrad|maximize|centered|decoupled_weight_decay|differentiable)=",
        "object",
        "a flag is kept as True or False, whatever was given for it",
        mistaken=True,
    ),
    Rule(
        "value",
        r"ReduceLROnPlateau.*lr=t\.tensor|lr=t\.tensor.*ReduceLROnPlateau",
        "",
        "PyTorch's groups share a rate that is a tensor: each group lowers it once more",
    ),
    Rule(
        "value",
        r"lr\W+t\.tensor.*OneCycleLR",
        "type|object",
        "of a rate that is a tensor a schedule makes a number; PyTorch writes into it",
    ),
    Rule(
        "accepted",
        r"LR\(",
        "cannot be converted to type float without overflow",
        "a rate that single precision cannot hold is infinite",
        mistaken=True,
    ),
    Rule(
        "accepted",
        r"(ConstantLR|LinearLR)\(.*factor=0",
        "float division by zero",
        "a factor of 0: PyTorch divides by it at the end",
        mistaken=True,
    ),
    Rule(
        "accepted",
        r"optim\.\w+\((?=.*lr\W+t\.tensor)(?=.*foreach\W+True)",
        "lr as a Tensor is not supported for capturable=False and foreach=True",
        "foreach chooses between implementations of PyTorch's, of which one takes no rate that is "
        "a tensor; here it chooses nothing",
    ),
    Rule(
        "refused",
        r"optim\.LBFGS\(.*history_size=",
        "history_size must be a whole number above 0",
        "PyTorch looks at the size of a history when a later step needs it",
        mistaken=True,
    ),
    Rule(
        "value",
        r"optim\.(NAdam|ASGD)\(",
        r"^(?!object).*\d",
        "PyTorch keeps a factor of NAdam and ASGD in single precision, or in the parameters' dtype",
        "float64|bfloat16",
    ),
    Rule(
        "value",
        r"^stepped\(.*optim\.(ASGD|NAdam)\(",
        "^object",
        "PyTorch keeps eta and mu of ASGD in the parameters' dtype, NAdam's product as it loads",
        "float16",
    ),
    Rule(
        "value",
        r"optim\.\w+\(.*(\d{10}|1e30)",
        "",
        "beside a step of 2^31 or more nothing is left of a parameter's digits",
        mistaken=True,
    ),
    Rule(
        "value",
        r"StepLR\(.*step_size=(-|[01]\.|math|1e30)",
        "",
        "a step_size that is no positive whole number: epochs are divided by it; PyTorch asks "
        "whether it divides them",
        mistaken=True,
    ),
    Rule(
        "value",
        r"(ConstantLR|LinearLR|PolynomialLR)\(.*total_iters=(-|0|[01]\.|math|1e30)",
        "",
        "a total_iters that no epoch is equal to: past its end; PyTorch never comes there",
        mistaken=True,
    ),
    Rule(
        "value",
        r"Adagrad\(\[.*p\[:1\], .initial_accumulator_value",
        "",
        "PyTorch's Adagrad does not look at the first sum that a group has of its own",
    ),
    Rule(
        "value",
        r"RMSprop\(.*(alpha=(0|True|1\b)|centered=True)",
        "",
        "a centered variance of one gradient is 0 but for rounding, and its root is divided by",
        mistaken=True,
    ),
    Rule(
        "value",
        r"MultiStepLR\(.*milestones=[\[(]\d*\.",
        "",
        "milestones that are no whole numbers: PyTorch counts whatever it is given",
        mistaken=True,
    ),
    Rule(
        "value",
        r"optim\.\w+\(.*eps=0",
        "",
        "with an eps of 0 a step is divided by what rounding left of a variance",
        mistaken=True,
    ),
    Rule("value", r"optim\.", "nan|inf", "squares of gradients that overflow", "huge"),
    Rule(
        "value",
        r"optim\.(Adam|AdamW|NAdam|RAdam)\((?=.*lr=(math\.inf|1e30))(?=.*betas=\(0\.0)",
        r"expected .*nan",
        "beside a beta of 0 PyTorch multiplies the distance to an infinite gradient by 0",
        mistaken=True,
    ),
]
