"""The promise that no test of this stage uses the network."""

from no_network import no_network as no_network
