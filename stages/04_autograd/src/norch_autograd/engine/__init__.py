"""The walk back: from outputs to leaves, newest node first, into `.grad`."""
