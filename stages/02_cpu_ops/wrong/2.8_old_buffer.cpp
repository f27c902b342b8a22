    const T old = buffer;
    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * (nesterov ? g + momentum * old : buffer);
