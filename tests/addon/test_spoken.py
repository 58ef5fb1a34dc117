"""Sentences that are made of what was found are shown in the language of Blender's interface."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path

import pytest

import physplace_addon
from physplace_addon.core.articulation.state import LinkageStatus
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.handover.handover import HandoverStatus
from physplace_addon.core.implicit.control.state import SculptStatus
from physplace_addon.core.implicit.polygonize.triangulation import MeshStatus
from physplace_addon.core.placement import Status
from physplace_addon.operators.blobs.live import LiveStatus
from physplace_addon.translations import read
from physplace_addon.translations.spoken import Sentences, sentences, spoken

PACKAGE = Path(physplace_addon.__file__).parent
FILE = PACKAGE / "translations" / "sentences" / "de.po"
STATUSES: tuple[type[Enum], ...] = (
    *(Status, LinkageStatus, SimulationStatus, HandoverStatus, SculptStatus, MeshStatus, LiveStatus),
)
ENGLISH = re.compile(
    r"\b(a|the|is|it|of|to|and|with|at|by|for|that|not|has|its|are|be|from|on|or|where|which|you|into|this)\b"
)
TOLD = frozenset(
    {"Conclusion", "Progress", "KeyHint", "KeyHint.of", "tell", "cls.poll_message_set", "spoken"}
)
# Errors, and how many of their arguments are names or numbers that come first.
NAMES_BEFORE = {
    **{"SceneError": 1, "MeshError": 1, "BlobError": 1, "JointError": 1, "RestError": 3},
    **{"PlacementError": 0, "PhysPlaceError": 0, "SimulationError": 0, "SamplingError": 1},
    **{"SurfaceError": 2, "ImplicitError": 2, "FormulaError": 2, "self._error": 1, "_wrong": 0},
    **{"left_out.add": 0, "self.left_out.add": 0, "self._left_out.add": 0},
}
NOT_COUNTED = "_not_counted"  # functions that return what is left out of account
# Names of what is said before it is raised.
SAID_LATER = {"found", "found_at", "expected", "remedy", "said", "still", "message"}
# Modules of core whose errors tell of what an artist has made; others tell of calls by a program.
OF_A_SCENE = (
    *("mesh/cleaning.py", "bodies/implicit_solid.py", "articulation/scene.py"),
    *("articulation/groups.py", "articulation/constraints.py"),
    *("bodies/body.py", "bodies/implicit_complex.py"),
    *("mechanics/external_wrench.py", "mechanics/balance.py", "mechanics/joints/*.py"),
    *("dynamics/scene.py", "placement/replication.py"),
    *("implicit/polygonize/*.py", "implicit/particles/*.py"),
    *("surfaces/**/*.py", "formulas/*.py", "implicit/functions/**/*.py"),
)
# Texts of core and scene that are parts of sentences; those are held whole, above the tests.
PARTS = {
    *("it overlaps", "it passes through itself at {} faces{}", ", and weighs twice where it overlaps"),
    *("{}: Extricate frees it, or move it clear", ", whole: {} shapes", " at rest"),
    *("are one inside the other", "overlap by {}", "{}, but the least push tips it: Nudge lets it fall"),
    *(
        "its shape keys",
        'its modifier "{}"',
        "it is deformed by",
        "it is one blob with",
        'its modifier "{}" depends on',
    ),
    "{}: control {} {} out of reach, by up to {}; release or remove some, free more parameters, or add an "
    "element",
}
# Those that nobody is shown: names of what is kept, of objects, of groups, and of what programs give.
UNSEEN = {
    *(
        "triangle boxes",
        "surface parts",
        "quadratic parts",
        "source of the tree",
        "swept triangles",
        "inner points",
    ),
    *("alone in contact", "joined in contact", "joined with all others", "Left Post", "Right Post"),
    *("Object Transforms", "blend radius", "local force: direction", "connection: target"),
    "implicit surface over {} triangles",
}
UNSEEN_MODULES = {
    "core/placement/settings.py",  # what programs may give
    "core/implicit/functions/solids/shaped_solids.py",  # formulas
    "scene/blobs/making.py",  # descriptions of custom properties, which Blender keeps as they are made
}
NOT_WORDS = re.compile(r"[A-Z0-9_ ]+|\S*_\S*|X Y Z|Shift|aeiou|an|status")  # keys, events, kinds of reports


@pytest.mark.parametrize(
    "english",
    [
        '"Plane": paused, on its way   |   state 3 of 9   |   2 contacts',
        '"Light, whole": Move 1.5 m, 0 m, 0 m along X [1.5|]   |   1 contact, 1 sticking',
        '"Camera", whole: 3 shapes: at rest   |   state 9 of 9',
        'Reading 1 of 2: "Plane"',
        'Freeing "Plane": looking for ways out',
        '"X": it is linked from "of the.blend": leave it',
        '"Figure": it is in its mirrored pose; beyond limits: "Arm.L" and "Arm.R"',
        '"A": at rest: contact forces balance it (2 steps, 3 contacts); the least nudge would end this rest',
        '"Mesh": 1234 triangles, area 12.5, volume 1e-05; nothing is lost',
        '"Mball": made of "Blob"; 1.2% of its size apart at most; nothing is lost',
        '"A": frames 1 to 9, 20 keys; broken: "Hinge" and "Rope"; everything has come to rest',
        '"Cube": a force taken off "Rest": place the rests again',
        '"Mug": At rest on "A", "B", "C" and 2 others, stable',
        '"Blob": 250 frames baked; it cannot pass through all control points on 3, 5 and 7',
        '"Mug": At rest on "Books and Co." and "Table", stable',
        '2 objects: 1 of them at rest; 1 of them it overlaps "A; b": move it clear',
        'object "Lamp": it overlaps "Table" at the start; free it by Extricate, or move it clear',
        'object "Lamp": it is linked from "of the.blend"; make a library override '
        "(Object > Relations > Make Library Override)",
        'object "Cube": one of its constraints "Copy of it" and "Track to" owns its transform; '
        "mute that constraint, or apply it, in the Object Constraints",
        'object "Cube": something else owns its transform: a driver, an NLA strip or a simulation; '
        "mute what owns it, or apply it (Object > Apply > Visual Transform)",
        'object "Cube": "Parent" stretches it more along one axis than another, so turning it would shear '
        "it; apply the scale of its parent (Object > Apply > Scale), or clear the parent",
        'object "(none)": it is no blob, and no part of one; add a blob (Add Blob), or click one of its '
        "elements",
        'object "Hinge": its rigid body constraint has no Second object; choose one in the Physics '
        "properties, or disable it",
        'object "Hinge": the limits of its rigid body constraint for the turn about z are 0.5 and -0.5; '
        "make the lower one the smaller one",
        'object "Brick": it is a passive rigid body, and nothing else that is selected moves; '
        "select an object to simulate, or make this one an active rigid body",
        'object "Scene": the present frame is 3.5, between two frames; go to a whole frame',
        'object "Rig": its bone "Arm.L" is scaled to next to zero; give it a scale',
        'object "Rig": in its mirrored pose "Arm.L" would overlap "Wall"; move the figure, or "Wall", clear '
        "first",
        '"Blob": parts of it touch each other; move them apart or into each other, or blend its elements '
        "more smoothly",
        'object "Tube": surface "tube": path: has a cusp, where it stands still; give its points handles',
        'object "Vase": surface "revolution": profile: crosses the axis to r = -0.25; keep it at x >= 0',
        'surface "torus": minor_radius: found 2 with major_radius 1, so the torus cuts itself; '
        "expected less than major_radius",
        "character 3: a product without * after 2 can be read in two ways; write the * and parentheses",
        'mesh "Sheet": all its triangles have no area; give the object a face with some width',
        'object "Cube", "Rest 1" on frame 20: nothing is below it: it would fall for ever',
        'joint "Hinge": it cannot be closed together with the others, a gap of 0.3 stays open; '
        "move its anchors together, or give its axes more freedom",
        'joint "Hinge": its bodies do not meet, an angle of 3 deg is open; move them together',
        '"Ball": its mass is inf, expected a finite number above 0; let it stand still if nothing is to '
        "move it",
        '"Ball": its friction is -1, expected a finite number of 0 or more',
        '"Ball": its angular velocity must be finite, it is [nan 0. 0.]',
        '"Sheet": a flat thing holds nothing; choose another container, or give a number',
        'Simulate has ended: "Lamp" and "The Mug" came into view or went out of it',
        '"The Mug" changed meanwhile; paused: going on takes it into account',
        'Replicate has ended: "The Mug" is named "Of it" now',
        'Replicate has ended: "The Mug" is no longer there',
        'object "Text": it lies so near to "The Floor" at the start that its side of it cannot be told; '
        "move it a little to the side on which it is to be",
        'object "Cube": its scale is not what it was when it was read; undo that, or begin again',
        'object "Cube": its parent "Rod and on", changed since it was read, owns its transform; '
        "undo that, or clear the parent and keep the transformation",
        '"Mug": At rest on "The Table", stable; "Mug": 6 faces left out that have no place (not a finite '
        "number)",
        "blob: points 0.001 apart would be too many; leave out what is very small beside the rest",
        'its mesh as displayed, not its exact surface, because of its modifier "Edge of the top"',
        "subdivided as displayed, not to its limit: Blender gives no deformed cage before 4.5",
        'object "Cup": its modifier "Hook on" depends on "The Hand", which does not move with it; parent '
        "one to the other and place the parent, or make it a mesh of its own",
        'at rest: control points "A" and "B" out of reach, by up to 0.2; release or remove some, free more '
        "parameters, or add an element",
        '"Cup": At rest on "The Table", but the least push tips it: Nudge lets it fall',
        'it overlaps "The Table" and "B": Extricate frees it, or move it clear',
        "it passes through itself at 3 faces, and weighs twice where it overlaps",
        '"A" and "B" are one inside the other; "A" and "C" overlap by 2 mm',
        "nothing is lost; smooth faces are taken as flat: the mesh has to be cleaned",
    ],
)
def test_no_english_is_left_in_a_sentence_and_names_stay(english: str) -> None:
    shown = sentences("de").translated(english)
    assert ENGLISH.search(re.sub(r'"[^"]*"', "", shown)) is None, shown
    assert re.findall(r'"[^"]*"', shown) == re.findall(r'"[^"]*"', english)
    assert re.findall(r"\d+(?:\.\d+)?", shown) == re.findall(r"\d+(?:\.\d+)?", english)


def test_clauses_within_clauses_are_translated_and_their_order_may_change() -> None:
    german = Sentences.of(
        {"{} on {}": "auf {1} {0}", "at rest": "in Ruhe", "the floor": "dem Boden", "and": "und"}
    )
    assert (
        german.translated('at rest on the floor; "x and y" and at rest')
        == 'auf dem Boden in Ruhe; "x and y" und in Ruhe'
    )
    assert german.translated("unknown: at rest") == "unknown: in Ruhe"


@pytest.mark.parametrize("status", [each for kind in STATUSES for each in kind], ids=str)
def test_each_status_is_translated(status: Enum) -> None:
    assert_german(str(status.value))


@pytest.mark.slow
def test_what_operators_tell_is_translated() -> None:
    missing = []
    for text in dict.fromkeys(told()):
        try:
            assert_german(text)
        except AssertionError:
            missing.append(text)
    assert missing == []


def test_what_errors_say_of_a_scene_is_translated() -> None:
    missing = []
    for text in dict.fromkeys(said_by_errors()):
        try:
            assert_german(text)
        except AssertionError:
            missing.append(text)
    assert missing == []


@pytest.mark.slow
def test_no_text_of_core_or_scene_is_left_in_english() -> None:
    missing = {text for part in ("core", "scene") for text in prose(part)} - {*PARTS, *UNSEEN}
    for text in list(missing):
        for whole in (text, f"2 {text}", f"{text}: 2"):  # notes begin with a number, or go on
            with suppress(AssertionError):
                assert_german(whole)
                missing.discard(text)
    assert missing == set()


def test_only_templates_ask_for_numbers() -> None:
    wrong = [text for text in read(FILE.read_text(encoding="utf-8")).values() if "{#}" in text]
    assert not wrong, "a translation's holes are {} or {0}"


@pytest.mark.slow
def test_no_template_is_left_of_a_sentence_that_is_gone() -> None:
    known = set(re.findall("[a-z]+", " ".join(constants()).lower()))
    for source in read(FILE.read_text(encoding="utf-8")):
        words = re.findall("[a-z]+", source.lower())
        assert [word for word in words if not {word, word.removesuffix("s")} & known] == [], source


def test_without_a_language_a_sentence_stays_english() -> None:
    assert spoken("at rest") == "at rest"


def assert_german(text: str) -> None:
    filled = iter(range(2, 99))
    english = re.sub(r"\{\}", lambda _: str(next(filled)), text)
    shown = sentences("de").translated(english)
    assert shown != english
    assert ENGLISH.search(re.sub(r'"[^"]*"', "", shown)) is None, shown


def told() -> Iterator[str]:
    """The templates of what operators report, do, and show as keys; and why they cannot run."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "batch" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in TOLD:
                for value in (*node.args, *(word.value for word in node.keywords)):
                    yield from templates(value)
            elif isinstance(node, ast.FunctionDef) and "reason" in node.name:
                for statement in node.body[1:]:
                    yield from templates(statement)


def prose(part: str) -> Iterator[str]:
    """The templates of two words or more in a part of the extension that are not raised at once.

    What errors say is for another test: some of it only programs are told.
    """
    for path in sorted((PACKAGE / part).rglob("*.py")):
        if str(path.relative_to(PACKAGE)) not in UNSEEN_MODULES:
            yield from prose_below(ast.parse(path.read_text()))


def prose_below(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if is_silent(node, child):
            continue
        text = template(child)
        if text is None:
            yield from prose_below(child)
        elif re.search("[a-z]{2}.* .*[a-z]{2}", text):
            yield text


def is_silent(node: ast.AST, child: ast.AST) -> bool:
    """Whether a part of the code holds docstrings, annotations, or what is raised or printed for programs."""
    called = ast.unparse(child.func) if isinstance(child, ast.Call) else ""
    is_for_types = child in (getattr(node, "annotation", None), getattr(node, "returns", None))
    return (
        (isinstance(node, ast.Expr) and isinstance(child, ast.Constant))
        or isinstance(child, ast.Raise)
        or (isinstance(child, ast.FunctionDef) and child.name == "__repr__")
        or is_for_types
        or called in ("cast", *NAMES_BEFORE)
    )


def said_by_errors() -> Iterator[str]:
    """The templates of what errors say of an artist's scene, without the names in front."""
    of_core = [path for name in OF_A_SCENE for path in sorted((PACKAGE / "core").glob(name))]
    read = [path for part in ("scene", "operators") for path in sorted((PACKAGE / part).rglob("*.py"))]
    for path, is_of_core in (*((path, False) for path in read), *((path, True) for path in of_core)):
        if "batch" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in NAMES_BEFORE:
                names = NAMES_BEFORE[ast.unparse(node.func)]
                for value in (*node.args[names:], *(word.value for word in node.keywords)):
                    yield from templates(value)
            elif isinstance(node, ast.FunctionDef) and node.name == NOT_COUNTED:
                for each in [each for each in ast.walk(node) if isinstance(each, ast.Dict)]:
                    yield from (text for key in each.keys if key is not None for text in templates(key))
            elif is_of_core and isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield from templates(node.value) if node.targets[0].id in SAID_LATER else ()


def templates(node: ast.AST) -> Iterator[str]:
    text = template(node)
    if text is None:
        for child in ast.iter_child_nodes(node):
            yield from templates(child)
        return
    if re.search("[a-z]{2}", text) and not NOT_WORDS.fullmatch(text):
        yield text


def template(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def constants() -> Iterator[str]:
    """All texts that stand in the code."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
