"""Names for the array types used throughout core: float64 values, platform-sized integers, truth values."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
