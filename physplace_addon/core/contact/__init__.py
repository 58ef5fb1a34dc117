"""Interface points (Snyder 1995, section 4): their equations, creation, tracking and transitions."""
