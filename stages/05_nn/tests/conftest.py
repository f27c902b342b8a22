"""The promise that no test of this stage uses the network."""

from shared_fixtures import no_network as no_network
