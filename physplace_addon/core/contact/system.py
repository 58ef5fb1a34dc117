"""The one door of the package: the rest of the extension imports what it needs of contact from here.

`ContactSystem` generates, tracks and differentiates the interface points of all pairs of bodies.  `adjusted`
and its like bring bodies that were moved clear of each other, `free_distance` says how far one may travel and
`motion_stops` how far all may move, and `BilateralContacts` are those that may not separate.
"""

from .adjustment import (
    CONTACT_CLEARANCE,
    OVERLAP,
    RETURN_CLEARANCE,
    Adjusted,
    Blocked,
    Obstructed,
    adjusted,
    advanced,
    closing_change,
    is_clear,
    least_correction,
)
from .bilateral import BilateralContacts, NumberedPair, of_pairs
from .body_pair import BodyPair
from .contact_system import ContactSystem
from .features import EDGE, FACE, VERTEX, FeatureGeometry
from .free_travel import free_distance, free_falls, least_distance
from .interpenetration import (
    TriangleOverlaps,
    meeting_surfaces,
    touches_anywhere,
    triangle_overlaps,
    unexplained_contacts,
    unexplained_crossings,
)
from .many_pairs.carried_points import CarriedPoints, common_points
from .many_pairs.motion_stops import MotionStops, motion_stops
from .many_pairs.path_pairs import RigidPaths
from .normal_cones import in_normal_cones, surely_hold
from .points.boundary_points import BoundaryPoint, closest_boundary_point, depths_inside
from .points.creation import Reach, interface_points_of_triangles, points_at_crossings
from .points.generation import generate_interface_points
from .points.interface_points import (
    FIXED,
    InterfacePoints,
    Pair,
    between,
    feature_keys,
    grouped,
    labelled,
    rows_nearest,
    rows_with_keys,
    spread_out,
)
from .points.minimization import edge_normal
from .points.surface_crossings import SurfaceCrossings, surface_crossings
from .regions.coherence import followed
from .regions.contact_regions import ContactRegions, EntityPairs, RegionPoints, RegionRows
from .regions.point_regions import regions_of_pair, regions_of_points
from .regions.region_analysis import contact_regions
from .regions.temporary_contact import ContactState, Penetrations, TemporaryContacts, judged

__all__ = [
    "CONTACT_CLEARANCE",
    "EDGE",
    "FACE",
    "FIXED",
    "OVERLAP",
    "RETURN_CLEARANCE",
    "VERTEX",
    "Adjusted",
    "BilateralContacts",
    "Blocked",
    "BodyPair",
    "BoundaryPoint",
    "CarriedPoints",
    "ContactRegions",
    "ContactState",
    "ContactSystem",
    "EntityPairs",
    "FeatureGeometry",
    "InterfacePoints",
    "MotionStops",
    "NumberedPair",
    "Obstructed",
    "Pair",
    "Penetrations",
    "Reach",
    "RegionPoints",
    "RegionRows",
    "RigidPaths",
    "SurfaceCrossings",
    "TemporaryContacts",
    "TriangleOverlaps",
    "adjusted",
    "advanced",
    "between",
    "closest_boundary_point",
    "closing_change",
    "common_points",
    "contact_regions",
    "depths_inside",
    "edge_normal",
    "feature_keys",
    "followed",
    "free_distance",
    "free_falls",
    "generate_interface_points",
    "grouped",
    "in_normal_cones",
    "interface_points_of_triangles",
    "is_clear",
    "judged",
    "labelled",
    "least_correction",
    "least_distance",
    "meeting_surfaces",
    "motion_stops",
    "of_pairs",
    "points_at_crossings",
    "regions_of_pair",
    "regions_of_points",
    "rows_nearest",
    "rows_with_keys",
    "spread_out",
    "surely_hold",
    "surface_crossings",
    "touches_anywhere",
    "triangle_overlaps",
    "unexplained_contacts",
    "unexplained_crossings",
]
