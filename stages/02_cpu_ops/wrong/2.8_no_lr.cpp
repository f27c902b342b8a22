    buffer = first ? g : momentum * buffer + take * g;
    param -= (nesterov ? g + momentum * buffer : buffer);
