"""Placement without interpenetration (Snyder 1995): settings, forces, the solver, its states and its
certificate.
"""

from ..mechanics.forces import Connection, Force, Gravity, Local
from .certificate import Certificate, Contacts, Status
from .checking import check
from .contact_forces import ContactForces, contact_forces
from .depenetration.extrication import Extricated, extricate, extricate_several
from .joint_reactions import JointReaction, joint_reactions
from .manipulation.manipulation import Manipulation, ManipulationStatus
from .placement import Placement
from .problem import Setup
from .replication import Filled, fill, replicated
from .settings import Settings
from .state import State

__all__ = [
    "Certificate",
    "Connection",
    "ContactForces",
    "Contacts",
    "Extricated",
    "Filled",
    "Force",
    "Gravity",
    "JointReaction",
    "Local",
    "Manipulation",
    "ManipulationStatus",
    "Placement",
    "Settings",
    "Setup",
    "State",
    "Status",
    "check",
    "contact_forces",
    "extricate",
    "extricate_several",
    "fill",
    "joint_reactions",
    "replicated",
]
