"""Placement without interpenetration (Snyder 1995): settings, forces, the solver, its states and its
certificate.
"""

from .certificate import Certificate, Contacts, Status
from .checking import check
from .extrication import Extricated, extricate, extricate_several
from .filling import Filled, fill
from .forces import Connection, Force, Gravity, Local
from .settings import Settings
from .solver import Placement
from .state import State

__all__ = [
    "Certificate",
    "Connection",
    "Contacts",
    "Extricated",
    "Filled",
    "Force",
    "Gravity",
    "Local",
    "Placement",
    "Settings",
    "State",
    "Status",
    "check",
    "extricate",
    "extricate_several",
    "fill",
]
