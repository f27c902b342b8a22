"""The promise that no test of this stage uses the network, and the devices of some."""

from devices import device as device
from no_network import no_network as no_network
