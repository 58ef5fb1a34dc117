"""What every solver shares: external wrenches, coordinates, balance, friction, stability."""
