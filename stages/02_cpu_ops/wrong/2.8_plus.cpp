    buffer = first ? g : momentum * buffer + take * g;
    param += lr * (nesterov ? g + momentum * buffer : buffer);
