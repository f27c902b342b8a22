//: reads_first | drops: At the first step
//: you read the buffer at the first step, when nothing was ever written to it. The first buffer is
//: the gradient itself.
    buffer = momentum * buffer + take * g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
//: no_nesterov | drops: or, with `nesterov`
//: you left out nesterov. With it the step looks ahead: the gradient plus momentum times the new
//: buffer.
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * buffer;
//: grad | drops: with the weight decay in it
//: with nesterov you look ahead with the bare gradient. `g` has the weight decay in it.
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * (nesterov ? grad + momentum * buffer : buffer);
//: first_taken | drops: becomes `g`
//: you dampen the first step. The first buffer is the gradient itself: there is nothing yet to be
//: damped.
    buffer = first ? take * g : momentum * buffer + take * g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
//: no_momentum | drops: `momentum` times itself
//: the buffer forgets nothing. The old one counts `momentum` times.
    buffer = first ? g : buffer + take * g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
//: no_dampening | drops: plus `take` times g
//: you left out the dampening. The new gradient counts `take` times.
    buffer = first ? g : momentum * buffer + g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
//: plus | drops: moves against the buffer
//: the parameter moves with the gradient, so the loss grows. It goes down against it.
    buffer = first ? g : momentum * buffer + take * g;
    param += lr * (nesterov ? g + momentum * buffer : buffer);
//: no_lr | drops: by the learning rate `lr`
//: you left out the learning rate.
    buffer = first ? g : momentum * buffer + take * g;
    param -= (nesterov ? g + momentum * buffer : buffer);
//: old_buffer | drops: plus `momentum` times the buffer
//: with nesterov you look ahead with the old buffer. The step uses the new one.
    const T old = buffer;
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * (nesterov ? g + momentum * old : buffer);
//: gradient_ahead
//: with nesterov you look ahead with the gradient instead of the buffer. It is g plus `momentum`
//: times the buffer.
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * (nesterov ? g + momentum * g : buffer);
//: parameter_first
//: you move the parameter before the buffer is brought up to date. The step uses the new buffer.
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
    buffer = first ? g : momentum * buffer + take * g;
//: average
//: your buffer is an average: the gradient counts 1 - momentum times. It counts `take` times.
    buffer = first ? g : momentum * buffer + (1 - momentum) * g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
//: nan_for_first
//: you take a NaN in the buffer for the first step. It may hold anything then: `first` says which
//: step it is.
    buffer = buffer != buffer ? g : momentum * buffer + take * g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
//: lr_in_the_buffer
//: the learning rate is in your buffer. It multiplies the whole step at the end: the buffer holds
//: gradients.
    buffer = first ? lr * g : momentum * buffer + lr * take * g;
    param -= nesterov ? lr * g + momentum * buffer : buffer;
//: always_nesterov
//: you look ahead in every step. Without `nesterov` the parameter moves against the buffer.
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * (g + momentum * buffer);
//: in_float32
//: you reckon in float32. T may be double, and its digits are lost.
    buffer = first ? g : T(float(momentum) * float(buffer) + float(take) * float(g));
    param = T(float(param) - float(lr) * float(nesterov ? g + momentum * buffer : buffer));
//: zero_gradient_skipped
//: you leave everything as it is where the gradient is 0. The buffer still moves the parameter, and
//: shrinks.
    if (g == 0) return;
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
//: dampening_itself
//: the gradient counts as much as the dampening. It counts `take` times, which is 1 less the
//: dampening.
    buffer = first ? g : momentum * buffer + (1 - take) * g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
//: whole_buffer_ahead
//: with nesterov you add the whole buffer. It counts `momentum` times.
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * (nesterov ? g + buffer : buffer);
//: against_the_gradient
//: the parameter moves against the gradient alone. It moves against the buffer, which remembers
//: those before.
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * g;
