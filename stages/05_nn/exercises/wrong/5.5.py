#: log_of_sigmoid | drops: At -200 the answer is -200
#: you take the logarithm of the sigmoid. Far left the sigmoid is 0 and its logarithm minus
#: infinity; a training run ends there.
    return autograd.log(autograd.sigmoid(input))
#: minus_softplus | drops: so it must never see one
#: you compute log(1 + exp(-x)) for every x. For x = -200, exp(200) is infinite before the
#: logarithm can tame it.
    return -autograd.log1p(autograd.exp(-input))
#: softplus | drops: log(1 / (1 + exp(-x)))
#: you return log(1 + exp(-x)), without the minus. The logarithm of a probability is never
#: positive.
    negative = input < 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, input, -input)))
    return rest - autograd.where(negative, input, 0.0)
#: of_minus_x
#: you compute the function of -x. At -200 the answer is -200, and at 200 it is 0.
    negative = input > 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, -input, input)))
    return autograd.where(negative, -input, 0.0) - rest
#: mirrored | drops: at 200 it is 0
#: you compute x - log(1 + exp(x)) for every x. That is right and safe for negative x; for x = 200,
#: exp(200) is infinite.
    return input - autograd.log1p(autograd.exp(input))
#: tail_alone
#: you forgot min(x, 0). The logarithm alone tends to 0 on both sides.
    negative = input < 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, input, -input)))
    return -rest
#: corner_alone
#: you return min(x, 0) alone. Near 0 the logarithm of the other term makes the curve smooth.
    return autograd.where(input < 0, input, 0.0)
#: maximum
#: you took the larger of x and 0 in front. It is the smaller one: min(x, 0).
    negative = input < 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, input, -input)))
    return autograd.where(negative, 0.0, input) - rest
#: growing_exp
#: you give exp the size of x with a plus sign, the one thing that it must not see: -|x|.
    negative = input < 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, -input, input)))
    return autograd.where(negative, input, 0.0) - rest
#: both_branches
#: your value is right and its gradient is not: `where` computes both branches, and the one that is
#: not taken holds an infinity, which times 0 is nan. Choose before exp, not after it.
    left = input - autograd.log1p(autograd.exp(input))
    right = -autograd.log1p(autograd.exp(-input))
    return autograd.where(input < 0, left, right)
#: clamped
#: you cut x off, so that exp stays finite. Beyond the cut every x then has the same answer, and no
#: gradient.
    return -autograd.log1p(autograd.exp((-input).clamp(max=80.0)))
#: plain_log | drops: exact for every x
#: you take the logarithm of 1 + t. For small t the sum is 1 and its logarithm 0: `log1p` keeps the
#: digits.
    negative = input < 0
    rest = autograd.log(1 + autograd.exp(autograd.where(negative, input, -input)))
    return autograd.where(negative, input, 0.0) - rest
