"""Placement without interpenetration (Snyder 1995): settings, the solver, its states and its certificate."""

from .certificate import Certificate, Contacts, Status
from .solver import Placement, Settings, State

__all__ = ["Certificate", "Contacts", "Placement", "Settings", "State", "Status"]
