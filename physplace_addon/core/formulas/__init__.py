"""Formulas as text: read safely, differentiated exactly to second order, bounded over boxes.

One reader serves surfaces in u and v, paths in t, and implicit functions in x, y and z.
"""

from .errors import FormulaError
from .formula import Formulas, JetArrays, number_of
from .graded import Graded, graded
from .jets import Jet
from .parser import RESERVED, closest_name
from .ranges import Range

__all__ = [
    "RESERVED",
    "FormulaError",
    "Formulas",
    "Graded",
    "Jet",
    "JetArrays",
    "Range",
    "closest_name",
    "graded",
    "number_of",
]
