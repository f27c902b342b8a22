"""The backward pass: from outputs to leaves, newest node first, into `.grad`."""
