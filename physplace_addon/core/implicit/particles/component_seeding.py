"""Component seeding: floaters for components of the surface, and for patches of it, that have none.

The paper wants to start "from a few seed points (ideally, only one per connected component)" (Witkin and
Heckbert 1994, section 4), and leaves open how components are found. `surface_components` finds all of them,
and proves how many there are; `coverage` finds what is bare of those that have floaters. Where nothing is
proven, because the boxes are too coarse for small components, `middle_seeds` looks about elements' middles.

While the surface changes both are looked for in every twenty-fourth step; patches only beside floaters that
are larger than desired, because they have room there. Mostly it is proven with little work that there are as
many components as before, as the surface has moved on without being torn or closed (`isotopy`). A single one
then has floaters as long as there are any. Of several each keeps its own, but for floaters that lose the
surface or get to another component: so it is looked up which component each is on if one was lost, and after
some looks in any case. What is not proven so is searched, if that is quick; otherwise floaters are put where
cells as large as their share of the area show the surface bare.

When it rests both are looked for to the end, again and again until there is nothing left to fill: only then
the surface counts as covered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...errors import SamplingError
from ..functions.base import ImplicitFunction
from ..neighbours import nearest
from ..surface_components.component_search import SurfaceComponents, components_of
from ..surface_components.isotopy import common_boxes
from ..surface_components.subdivision import ClassifiedBoxes, SearchLimits
from .attachment import attached_to_surface
from .coverage import BARE, filled_cells, filled_patches
from .floaters import Floaters, FloaterSettings
from .middle_seeds import seeds_about_middles

_EVERY = 24  # steps between two looks while the surface changes
_BARE_EVERY = 12  # steps between two fillings of bare patches while floaters grow
_MARGIN = 0.05  # share of the box by which it is grown, for what grows out of it meanwhile
# boxes of a quick search, and desired radii: the side of its least ones
_QUICK_MOST, _QUICK_LEAST = 2_000, 0.2
_SETTLED = 1.2  # mean ratio of radii to the desired ones below which floaters no longer grow
# share of the box by which what is searched is larger on each side: a proof is carried along within it
_ROOM = 0.1371
_HALVED = 2.0  # times as many boxes as were searched, from which on a proof is no longer carried along
_UNSEEN = 5  # looks in a row at which it is not looked up which of several components each floater is on
_THERE = 0.5  # desired radii: a seed so near to a floater is on its component, where nothing is proven


@dataclass(frozen=True, eq=False)
class _Proof:
    """That a surface has so many components.

    Attributes:
        function: F.
        boxes: boxes of which none is undecided.
        count: the number of components.
        most: boxes from which on it is better to search anew.
        carried: how often it was carried along since it was looked up which component each floater is on.
    """

    function: ImplicitFunction
    boxes: ClassifiedBoxes
    count: int
    most: int
    carried: int = 0

    @classmethod
    def of(cls, known: SurfaceComponents) -> _Proof | None:
        """Return the proof that a search found; None if it found none, or one of too many boxes to carry."""
        count = len(known.boxes.kind)
        if count > _QUICK_MOST or not known.proven:
            return None
        return cls(known.function, known.boxes, len(known), int(_HALVED * count))

    def carried_to(self, function: ImplicitFunction) -> _Proof | None:
        """Return the proof for another function, if it is found with little work."""
        if function is self.function:
            return self
        boxes = common_boxes(self.function, function, self.boxes)
        if boxes is None or len(boxes.kind) > self.most:
            return None
        return replace(self, function=function, boxes=boxes, carried=self.carried + 1)


class ComponentSeeding:
    """Looks for components and patches of a surface without floaters.

    Attributes:
        diameter: d, the longest side of the surface's box, in scene units.
        covered: whether the last look to the end found nothing bare, and nothing has changed since.
        has_lost: whether a floater has lost the surface since it was looked up which component each is on.
    """

    def __init__(self, settings: FloaterSettings) -> None:
        self.settings = settings
        self.diameter = 4.0 * settings.radius
        self.covered = False
        self._box = np.zeros((0, 3))
        self._function: ImplicitFunction | None = None
        self._parameters = np.zeros(0)
        self._components: SurfaceComponents | None = None
        self._proof: _Proof | None = None
        self._is_hard = False  # whether a quick search does not prove how many components there are
        self.has_lost = False
        self._clock = 0

    def all(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters, with a seed on each component that has none, found to the end."""
        self._changed(function)
        self.measure(function)
        return self._seeded_to_the_end(function, floaters)

    def filled(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters, with new ones if it is time to look for what is bare in this step."""
        if not len(floaters):
            changed = self._changed(function)
            return self.all(function, floaters) if changed or self._components is None else floaters
        self._clock += 1
        looks = self._clock % _BARE_EVERY == 0
        if not looks and not self.covered:
            return floaters
        if changed := self._changed(function):
            self.covered = False
        if not looks or self.covered:
            return floaters
        ratio = floaters.radii / floaters.desired
        settled = float(ratio.mean()) < _SETTLED
        if self._clock % _EVERY == 0:
            self.measure(function)
            floaters = self._seeded_quickly(function, floaters, settled)
        if settled:
            beside = floaters.take(floaters.radii > floaters.desired) if changed else floaters
            floaters = filled_patches(function, floaters, self.settings, beside)
        return floaters

    def completed(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters, with new ones on all that is bare, looked for to the end; the same if it is
        nothing.
        """
        self._changed(function)
        found = self._seeded_to_the_end(function, floaters)
        if len(found) and len(self._box):
            found = self._seeded_beyond_necks(function, found)
        found = filled_patches(function, found, self.settings)
        self.covered = len(found) == len(floaters)
        return found

    def measure(self, function: ImplicitFunction) -> None:
        """Measure the box that is searched; its longest side is the surface's diameter.

        Raises:
            SamplingError: for a surface that is infinite, if no bounds are set.
        """
        box = np.array(function.box(), dtype=np.float64)
        bounds = self.settings.bounds
        if bounds is not None:
            box = np.stack([np.maximum(box[0], bounds[0]), np.minimum(box[1], bounds[1])])
        if not np.all(box[0] <= box[1]):
            self._box = np.zeros((0, 3))
            return
        if not np.isfinite(box).all():
            raise SamplingError("surface", "it is infinite", "give bounds to sample it in")
        self.diameter = max(float((box[1] - box[0]).max()), 1e-3 * self.settings.radius)
        self._box = box + _MARGIN * self.diameter * np.array([[-1.0], [1.0]])

    def within_reach(self, function: ImplicitFunction, positions: Floats) -> Floats:
        """Return positions (r, 3), those far beyond the surface's box brought back to it.

        The box is that of the last measurement, unless a position is beyond it: then it is measured again.
        """
        if not self._is_beyond(positions):
            return positions
        self.measure(function)
        if not len(self._box):
            return positions
        return np.clip(positions, self._box[0] - self.settings.radius, self._box[1] + self.settings.radius)

    def _is_beyond(self, positions: Floats) -> bool:
        """Return whether any of positions (r, 3) is beyond the box by more than a desired radius."""
        if not len(self._box) or not len(positions):
            return False
        columns = positions.T  # along a contiguous row a minimum is quick
        above = np.minimum.reduce(columns, axis=1) - self._box[0]
        below = self._box[1] - np.maximum.reduce(columns, axis=1)
        return not np.minimum.reduce(np.minimum(above, below)) >= -self.settings.radius

    def _changed(self, function: ImplicitFunction) -> bool:
        """Return whether the function is another one than it was last asked about, or has other
        parameters.
        """
        if function is self._function:
            return False
        before, self._function = self._function, function
        parameters, self._parameters = self._parameters, function.parameters
        if type(before) is type(function) and np.array_equal(parameters, self._parameters):
            return False
        self._components = None
        return True

    def _seeded_to_the_end(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters with a seed on each component that has none."""
        if not len(self._box):
            return floaters
        known = self._components
        if known is None:
            proof = self._proof = self._carried_proof(function)
            if proof is not None and proof.count == 1 and len(floaters):
                return floaters
            boxes = None if proof is None else proof.boxes
            known = components_of(function, SearchLimits(margin=_ROOM), self.settings.bounds, boxes)
            self._components, self.has_lost = known, False
            self._proof = _Proof.of(known) if proof is None else replace(proof, carried=0)
            self._is_hard = self._proof is None
        seeded = self._seeded_on(function, floaters, known)
        if known.proven or not len(floaters):
            return seeded
        return self._seeded_about_middles(function, seeded)

    def _seeded_beyond_necks(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters, with new ones where cells of space show patches that none is near.

        Two parts of a component may hang together by less than floaters and places beside them get through.
        """
        filled = filled_cells(function, floaters, self.settings, self._box)
        new = filled.take(np.arange(len(floaters), len(filled)))
        if not len(new):
            return floaters
        far = nearest(new.positions, floaters.positions)[0] > BARE * new.desired
        return floaters.with_more(new.take(far)) if far.any() else floaters

    def _seeded_quickly(self, function: ImplicitFunction, floaters: Floaters, settled: bool) -> Floaters:
        """Return the floaters with seeds on what a look in little time shows to have none.

        Args:
            function: F.
            floaters: all floaters, one at least.
            settled: whether they fill what they are on, so that what is bare is something else.
        """
        if not len(self._box):
            return floaters
        known = self._components
        if known is None:
            proof = self._proof = self._carried_proof(function)
            if proof is not None:
                alone = proof.count == 1 or not (self.has_lost or proof.carried > _UNSEEN)
                return floaters if alone else self._seeded_to_the_end(function, floaters)
            if not self._is_hard:
                limits = SearchLimits(_QUICK_MOST, _QUICK_LEAST * self.settings.radius, _ROOM)
                known = components_of(function, limits, self.settings.bounds)
                self._proof = _Proof.of(known)
                self._is_hard = self._proof is None
        if known is not None and known.proven:
            self._components, self.has_lost = known, False
            return self._seeded_on(function, floaters, known)
        seeded = self._seeded_about_middles(function, floaters)
        return filled_cells(function, seeded, self.settings, self._box) if settled else seeded

    def _carried_proof(self, function: ImplicitFunction) -> _Proof | None:
        """Return the proof of how many components there are, if it holds for a function, too."""
        if self._proof is None or self.settings.bounds is not None:
            return None
        return self._proof.carried_to(function)

    def _seeded_about_middles(self, function: ImplicitFunction, floaters: Floaters) -> Floaters:
        """Return the floaters with a seed about each middle of an element from which none is seen."""
        radius = self.settings.radius
        seeds = seeds_about_middles(function, floaters.positions, radius, self.diameter)
        return self._with_seeds(function, floaters, seeds)

    def _seeded_on(
        self, function: ImplicitFunction, floaters: Floaters, known: SurfaceComponents
    ) -> Floaters:
        """Return the floaters with a seed on each of the known components that has none."""
        if not len(known) or (len(known) == 1 and len(floaters)):
            return floaters
        seeds = known.seeds[_without_floaters(known, floaters)]
        if not known.proven and len(floaters) and len(seeds):
            seeds = seeds[nearest(seeds, floaters.positions)[0] > _THERE * self.settings.radius]
        return self._with_seeds(function, floaters, seeds)

    def _with_seeds(self, function: ImplicitFunction, floaters: Floaters, seeds: Floats) -> Floaters:
        """Return the floaters with new ones where seeds (s, 3) come to the surface."""
        if not len(seeds):
            return floaters
        radius = self.settings.radius
        on = attached_to_surface(function, seeds, np.full(len(seeds), radius), 0.125 * self.diameter)
        there = Floaters.at(on.positions, radius)
        new = Floaters(there.positions, there.radii, on.gradients, there.desired, there.ages).take(~on.lost)
        return floaters.with_more(new) if len(new) else floaters


def _without_floaters(components: SurfaceComponents, floaters: Floaters) -> Bools:
    """Return which components (c,) no floater is on."""
    bare = np.ones(len(components.seeds), dtype=np.bool_)
    if len(floaters):
        on = components.numbers_of(floaters.positions[_representatives(components, floaters)])
        bare[on[on >= 0]] = False
    return bare


def _representatives(components: SurfaceComponents, floaters: Floaters) -> Ints:
    """Return the numbers (k,) of one floater of those in the same box that look about the same way."""
    box = components.boxes.tree.box_at(floaters.positions)
    rows = np.arange(len(floaters))
    axis = np.argmax(np.abs(floaters.gradients), axis=1)
    side = 2 * axis + (floaters.gradients[rows, axis] > 0.0)
    return np.asarray(np.unique(np.stack([box, side]), axis=1, return_index=True)[1], dtype=np.intp)
