    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * (nesterov ? grad + momentum * buffer : buffer);
