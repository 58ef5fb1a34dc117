"""What contact computes of many pairs of bodies at once: small solids without curved parts."""
