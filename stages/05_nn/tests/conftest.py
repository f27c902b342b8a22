"""No test of this stage uses the network; the devices of some tests, and the workers of others."""

from devices import device as device
from shared_fixtures import forked_workers as forked_workers, no_network as no_network
