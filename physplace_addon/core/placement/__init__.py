"""Placement without interpenetration (Snyder 1995): settings, the solver, its states and its certificate."""

from .certificate import Certificate, Contacts, Status
from .checking import check
from .settings import Settings
from .solver import Placement
from .state import State

__all__ = ["Certificate", "Contacts", "Placement", "Settings", "State", "Status", "check"]
