    buffer = first ? g : buffer + take * g;
    param -= lr * (nesterov ? g + momentum * buffer : buffer);
