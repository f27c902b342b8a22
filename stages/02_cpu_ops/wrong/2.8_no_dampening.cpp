    buffer = first ? g : momentum * buffer + g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
