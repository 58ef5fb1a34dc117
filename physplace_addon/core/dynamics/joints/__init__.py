"""Motion of bodies with joints: without contact, and as constraints of a step with it."""
