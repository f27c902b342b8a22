    buffer = first ? g : momentum * buffer + take * g;
    param -= lr * buffer;
