"""The promise that no test of this stage uses the network, and the devices of some."""

from devices import device as device
from shared_fixtures import no_network as no_network
