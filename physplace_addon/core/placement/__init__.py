"""Placement without interpenetration (Snyder 1995): settings, forces, the solver, its states and its
certificate.
"""

from ..mechanics.forces import Connection, Force, Gravity, Local
from .certificate import Certificate, Contacts, Status
from .checking import check
from .depenetration.extrication import Extricated, extricate, extricate_several
from .placement import Placement
from .replication import Filled, fill
from .settings import Settings
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
