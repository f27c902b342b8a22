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
#: line_far_left
#: you return x itself far on the left. The rest, log(1 + exp(x)), is small there and not 0: in
#: double precision it is seen.
    left = input < -20
    safe = autograd.where(left, input * 0.0, input)
    return autograd.where(left, input, -autograd.log1p(autograd.exp(-safe)))
#: nothing_far_right
#: you return 0 far on the right. The answer is small there and not 0: log1p knows the smallest
#: numbers.
    x = autograd.where(input > 30, input * 0.0 - 1.0, input)
    negative = x < 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, x, -x)))
    return autograd.where(input > 30, input * 0.0, autograd.where(negative, x, 0.0) - rest)
#: single_precision
#: you compute in float32, whatever the dtype of the input is. Half of the digits of a double are
#: lost.
    x = input.float()
    negative = x < 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, x, -x)))
    return (autograd.where(negative, x, 0.0) - rest).to(input.dtype)
#: relu_and_abs
#: your values are right, and the slope at 0 is not: it is a half. `relu` and `abs` have a corner
#: there, and the record of each says a slope of 0.
    return -autograd.relu(-input) - autograd.log1p(autograd.exp(-autograd.abs(input)))
#: rest_detached
#: you cut the record of the logarithm off. Its slope belongs to that of the answer.
    negative = input < 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, input, -input)))
    return autograd.where(negative, input, 0.0) - rest.detach()
#: half_of_the_difference
#: you take min(x, 0) for (x - |x|) / 2. The difference of a huge x and its size is infinite.
    size = autograd.abs(input)
    return (input - size) / 2 - autograd.log1p(autograd.exp(-size))
#: one_question
#: you ask one number which side all of them lie on. Each has a side of its own: `where` asks each.
    if input.reshape(-1)[:1].sum().item() < 0:
        return input - autograd.log1p(autograd.exp(input))
    return -autograd.log1p(autograd.exp(-input))
#: input_cut
#: you overwrite the caller's input. Its values and its record belong to others: make a new tensor.
    negative = input < 0
    rest = autograd.log1p(autograd.exp(autograd.where(negative, input, -input)))
    return input.detach().clamp_(max=0.0) - rest
#: rest_added
#: you add the logarithm. It is subtracted: the answer is never positive.
    negative = input < 0
    # exp sees no positive number, so it cannot overflow.
    rest = autograd.log1p(autograd.exp(autograd.where(negative, input, -input)))
    return autograd.where(negative, input, 0.0) + rest

#: minus_forgotten
#: you gave exp the size of x with a plus sign where x is positive. For positive x it is exp(-x).
    negative = input < 0
    # exp sees no positive number, so it cannot overflow.
    rest = autograd.log1p(autograd.exp(autograd.where(negative, input, input)))
    return autograd.where(negative, input, 0.0) - rest

#: a_number_instead_of_a_question
#: you gave `where` a number for its question. It takes first what is True or False, then the two
#: values.
    negative = input < 0
    # exp sees no positive number, so it cannot overflow.
    rest = autograd.log1p(autograd.exp(autograd.where(input, negative, -input)))
    return autograd.where(negative, input, 0.0) - rest

