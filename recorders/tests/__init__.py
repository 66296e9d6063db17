"""The tests of the recorders: small, and without a network."""
