//: case_by_case
//: branches take the place of the operator that chooses, and the direction gets a name. That is
//: longer and easier to stop at in a debugger.
    if (first) {
      buffer = g;
    } else {
      buffer = momentum * buffer + take * g;
    }
    T direction = buffer;
    if (nesterov) direction = g + momentum * buffer;
    param -= lr * direction;
