"""The errors of core, for input that has no meaning.  A hard case of geometry is a status, not an error.

Each message names the thing (object, patch, property), what was expected or found, and a remedy.
"""


class PhysPlaceError(ValueError):
    """Input that PhysPlace cannot work with; the message is fit for an artist to read."""


class SurfaceError(PhysPlaceError):
    """A surface definition that has no meaning: names the kind, the property, and what would be right."""

    def __init__(self, kind: str, subject: str, found: str, remedy: str) -> None:
        super().__init__(f'surface "{kind}": {subject}: {found}; {remedy}')
        self.kind = kind
        self.subject = subject
        self.found = found
        self.remedy = remedy


class MeshError(PhysPlaceError):
    """A triangle mesh that bounds nothing: names the object, what was found, and a remedy."""

    def __init__(self, name: str, found: str, remedy: str) -> None:
        super().__init__(f'mesh "{name}": {found}; {remedy}')
        self.name = name
        self.found = found
        self.remedy = remedy


class PlacementError(PhysPlaceError):
    """A placement that cannot be started: names the bodies or the setting, and what was found."""


class JointError(PhysPlaceError):
    """A joint that has no meaning, or cannot be closed: names the joint, what was found, and a remedy."""

    def __init__(self, name: str, found: str, remedy: str) -> None:
        super().__init__(f'joint "{name}": {found}; {remedy}')
        self.name = name
        self.found = found
        self.remedy = remedy


class SamplingError(PhysPlaceError):
    """A surface that cannot be sampled with the given settings: names the setting, what was found, and a
    remedy.
    """

    def __init__(self, subject: str, found: str, remedy: str) -> None:
        super().__init__(f"floaters: {subject}: {found}; {remedy}")
        self.subject = subject
        self.found = found
        self.remedy = remedy


class SculptingError(PhysPlaceError):
    """A sculpting that cannot be done: names the control point or setting, and what was found."""


class ImplicitError(PhysPlaceError):
    """An implicit function that has no meaning: names the kind, the property, and what would be right."""

    def __init__(self, kind: str, subject: str, found: str, remedy: str) -> None:
        super().__init__(f"{kind}: {subject}: {found}; {remedy}")
        self.kind = kind
        self.subject = subject
        self.found = found
        self.remedy = remedy


class BlobError(PhysPlaceError):
    """An implicit surface that encloses no body: names the object, what was found, and a remedy."""

    def __init__(self, name: str, found: str, remedy: str) -> None:
        super().__init__(f'"{name}": {found}; {remedy}')
        self.name = name
        self.found = found
        self.remedy = remedy
