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
