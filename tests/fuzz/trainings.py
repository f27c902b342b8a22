"""Random trainings: every optimizer and every scheduler, with options that are right or nonsense.

helpers.py takes the steps and shows all of each. generate.py asks; the options stand here, what the
parameters of an optimizer are called, in its signature.
"""

OPTIMIZERS = {
    "SGD": "lr momentum dampening weight_decay nesterov maximize foreach",
    "Adam": "lr betas eps weight_decay amsgrad maximize foreach decoupled_weight_decay",
    "AdamW": "lr betas eps weight_decay amsgrad maximize foreach",
    "RMSprop": "lr alpha eps weight_decay momentum centered maximize foreach",
    "Adagrad": "lr lr_decay weight_decay initial_accumulator_value eps maximize foreach",
    "Adadelta": "lr rho eps weight_decay maximize foreach",
    "Adamax": "lr betas eps weight_decay maximize foreach",
    "NAdam": "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach",
    "RAdam": "lr betas eps weight_decay decoupled_weight_decay maximize foreach",
    "ASGD": "lr lambd alpha t0 weight_decay maximize foreach",
    "Adafactor": "lr beta2_decay eps d weight_decay maximize foreach",
    "Rprop": "lr etas step_sizes maximize foreach",
    "LBFGS": "lr max_iter history_size tolerance_grad tolerance_change line_search_fn",
}
OPTIONS = {
    "lr": "0.1 1e-3 0.5 0 1 t.tensor(0.1)",
    "momentum": "0.9 0.5 0",
    "dampening": "0 0.3",
    "weight_decay": "0 0.1 1e-2",
    "betas": "(0.9,0.999) (0.5,0.9) (0.0,0.99) [0.8,0.7]",
    "eps": "1e-8 1e-3",
    "alpha": "0.99 0.5",
    "rho": "0.9 0.5",
    "lr_decay": "0 0.1",
    "initial_accumulator_value": "0 0.5",
    "momentum_decay": "4e-3 0.1",
    "lambd": "1e-4 0.1",
    "t0": "1e6 2 0",
    "beta2_decay": "-0.8 -0.5",
    "d": "1.0 2.0",
    "etas": "(0.5,1.2) (0.3,1.5)",
    "step_sizes": "(1e-6,50) (1e-3,0.5)",
    "max_iter": "2 4 1",
    "history_size": "100 2 1",
    "tolerance_grad": "1e-7 0.1",
    "tolerance_change": "1e-9",
    "line_search_fn": "None 'strong_wolfe'",
}
FLAGS = "nesterov maximize amsgrad centered decoupled_weight_decay"
OPTIONS |= dict.fromkeys(FLAGS.split(), "True True False")
OPTIONS["foreach"] = "None False True"
# Where rounding rules LBFGS: a rate of 0.1 leaves 0.9 of a slope, exactly the limit of its line
# search; one of 0.5 comes to the lowest point of these losses; one of 1 as far behind it.
FACTORS = {"Adafactor": {"eps": "(None,1e-3) (1e-3,1e-2)"}, "LBFGS": {"lr": "0.15 0.4 0.8"}}
NUMBER, COUNT = "0.1 0.5 0.9 1 2.0 0", "1 2 3 5"
SCHEDULERS = {
    "LambdaLR": {"lr_lambda": "lambda*e:0.9**e[0] [lambda*e:1/(e[0]+1)]*len(o.param_groups)"},
    "MultiplicativeLR": {"lr_lambda": "lambda*e:0.9 lambda*e:1/e[0]"},
    "StepLR": {"step_size": COUNT, "gamma": NUMBER},
    "MultiStepLR": {"milestones": "[2] [1,3] [3,3,5] [] [4,2]", "gamma": NUMBER},
    "ConstantLR": {"factor": "0.3 0.5 1", "total_iters": "1 2 4"},
    "LinearLR": {"start_factor": "0.3 0.1 1", "end_factor": "1.0 0.5 0", "total_iters": COUNT},
    "ExponentialLR": {"gamma": NUMBER},
    "PolynomialLR": {"total_iters": "1 3 8", "power": "1.0 2.0 0.5 0"},
    "CosineAnnealingLR": {"T_max": "1 2 3 10", "eta_min": "0 0.01"},
    "CosineAnnealingWarmRestarts": {"T_0": "1 2 3", "T_mult": "1 2", "eta_min": "0.0 0.01"},
    "CyclicLR": {
        "base_lr": "0.01 0",
        "max_lr": "0.3 0.1",
        "step_size_up": COUNT,
        "step_size_down": "None 1 3",
        "mode": "'triangular' 'triangular2' 'exp_range'",
        "gamma": "1.0 0.9",
        "cycle_momentum": "True False",
        "base_momentum": "0.8 0.5",
        "max_momentum": "0.9",
    },
    "OneCycleLR": {
        "max_lr": "0.5 0.1",
        "total_steps": "10 30 7 None",
        "epochs": "None 3",
        "steps_per_epoch": "None 4",
        "pct_start": "0.3 0.5",
        "anneal_strategy": "'cos' 'linear'",
        "cycle_momentum": "True False",
        "div_factor": "25.0 2",
        "final_div_factor": "1e4 3",
        "three_phase": "True False",
    },
    "ReduceLROnPlateau": {
        "mode": "'min' 'max'",
        "factor": "0.1 0.5",
        "patience": "0 1 2",
        "threshold": "1e-4 0.5",
        "threshold_mode": "'rel' 'abs'",
        "cooldown": "0 1",
        "min_lr": "0 0.01",
        "eps": "1e-8 0.1",
    },
}
WRONG = "-1 -0.1 1.5 2 0 math.nan math.inf 1e30 'a' None [] (0.1,) True"
FIRST = {"CyclicLR": ("base_lr", "max_lr"), "OneCycleLR": ("max_lr",)}
WANTED = ("lr_lambda", "step_size", "milestones", "T_max", "T_0")


def words(rng, options, wanted, nonsense):
    """Return arguments by name: all that are wanted, and some of the others."""
    chosen = [name for name in options if name in wanted or rng.random() < 0.35]
    texts = {name: rng.choice(options[name].split()) for name in chosen}
    if nonsense and texts:
        numbers = [name for name in texts if "True" not in options[name]]
        texts[rng.choice(numbers or list(texts))] = rng.choice(nonsense)
    return [f"{name}={text.replace('lambda*e', 'lambda *e')}" for name, text in texts.items()]


def always(name):
    """Return the options that are always given: LBFGS must not come to where rounding rules."""
    return ("max_iter", "lr") if name == "LBFGS" else ()


def optimizer_text(rng, nonsense, names=tuple(OPTIMIZERS)):
    """Return the call of an optimizer over p, the parameters."""
    name = rng.choice(names)
    options = {key: OPTIONS[key] for key in OPTIMIZERS[name].split()} | FACTORS.get(name, {})
    params = "p"
    if name != "LBFGS" and rng.random() < 0.3:
        key = rng.choice(list(options))
        value = rng.choice(options[key].split())
        params = f'[{{"params": p[:1], "{key}": {value}}}, {{"params": p[1:]}}]'
    return f"t.optim.{name}({', '.join([params, *words(rng, options, always(name), nonsense)])})"


def scheduler_text(rng, nonsense):
    """Return the call of a scheduler over o, the optimizer; now and then of two, one in another."""
    if rng.random() < 0.15:
        pair = ", ".join(one_scheduler(rng, (), SIMPLE) for _ in range(2))
        if rng.random() < 0.5:
            return f"L.ChainedScheduler([{pair}])"
        return f"L.SequentialLR(o, [{pair}], milestones=[{rng.choice('123')}])"
    return one_scheduler(rng, nonsense, tuple(SCHEDULERS))


SIMPLE = ("StepLR", "ConstantLR", "LinearLR", "ExponentialLR", "MultiStepLR")


def one_scheduler(rng, nonsense, names):
    name = rng.choice(names)
    options = SCHEDULERS[name]
    wanted = (*FIRST.get(name, ()), *WANTED, *(("gamma",) if name == "ExponentialLR" else ()))
    return f"L.{name}({', '.join(['o', *words(rng, options, wanted, nonsense)])})"


def training_text(rng, kind):
    """Return a training, of an optimizer or of a scheduler, over the tensors x, y, z."""
    wrong = WRONG.split() if rng.random() < 0.12 else ()
    if kind == "scheduled":
        maker = optimizer_text(rng, (), ("SGD", "SGD", "Adam", "RMSprop", "NAdam"))
        plan = f"steps={rng.choice((3, 6, 9))}, resume={rng.choice((None, 1, 2))}"
        text = f"lambda o, L: {scheduler_text(rng, wrong)}"
        return f"scheduled(lambda p: {maker}, {text}, [x, y], {plan})", not wrong
    text = optimizer_text(rng, wrong)
    closure = "LBFGS" in text or rng.random() < 0.3
    steps = rng.choice((1, 2) if "LBFGS" in text else (2, 3, 5))
    plan = f"steps={steps}, closure={closure}, resume={rng.choice((None, 1, 2))}"
    plan += f", set_to_none={rng.choice((True, False))}"
    return f"stepped(lambda p: {text}, [x, y, z], {plan})", not wrong


def training_call(rng, kind, recipe, sizes):
    """Return (text, recipes, whether it was made to be right)."""
    text, valid = training_text(rng, kind)
    dtype = rng.choices(("float32", "float64", "bfloat16"), (8, 4, 1))[0]
    dtype = "float64" if "LBFGS" in text else dtype
    shapes = [tuple(rng.choice(sizes[:6]) for _ in range(rng.choice((0, 1, 2, 2)))) for _ in "xyz"]
    recipes = [recipe(rng, rng.choice("fpu"), shape, dtype, False) for shape in shapes]
    return text, tuple(recipes), valid
