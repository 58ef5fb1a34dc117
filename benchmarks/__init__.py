"""Programs that measure: how many steps, how long a step, beside the paper and a user's other tools."""
