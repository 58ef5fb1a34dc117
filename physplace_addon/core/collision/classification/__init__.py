"""Classification of edges against solids, exactly: in, out or on (Bouma and Vanecek 1991, sections 5, 10)."""

from .edge_classification import EDGE, END, FACE, IN, OUT, VERTEX, EdgeClassification, classify_edges

__all__ = ["EDGE", "END", "FACE", "IN", "OUT", "VERTEX", "EdgeClassification", "classify_edges"]
