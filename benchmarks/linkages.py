"""Posing of linkages: a drag beside mink, and how its time grows (Choi and Cremer 1999, section 6).

The paper's ring of 19 bodies, whose KKT matrix has 212 variables and 1,455 non-zeros, is dragged by ticks of
two per cent of its size: each is solved to 1e-5, functions and Jacobian included.  Where `mink` is installed,
it drags a chain with as many freedoms by as much, to the same accuracy, in turns with it.  Then a step of
Newton's method is timed on rings and stars of more and more bodies, up to 20,000 variables.

`python -m benchmarks.linkages --short` leaves out the largest.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from physplace_addon.core.articulation import PointGoal
from physplace_addon.core.articulation.equations import Equations, explicit_kkt
from physplace_addon.core.articulation.groups import RigidGroups
from physplace_addon.core.articulation.least_motion import Iterate, newton_step
from tests.core.articulation import figures
from tests.core.articulation.figures import Figure

TICKS = 20
SIZE_OF_TICK = 0.02
ACCURACY = 1e-5
REPEATS = 15
PATH = np.array([0.4, 0.5, 0.77])
POINT = np.array([0.1, 0.02, 0.03])
SIZES = (20, 60, 200, 600, 1818)


def with_goal(figure: Figure, part: int) -> tuple[Equations, Iterate]:
    """The equations of a figure with a goal for a part, and where it is."""
    groups, at = RigidGroups.of(figure.linkage, figure.poses)
    equations = Equations.of(groups, [PointGoal(part, POINT, figure.poses[part].points(POINT))], at)
    return equations, Iterate.start(at, equations)


def dragged_ring() -> tuple[float, float]:
    """Return the CPU seconds of a drag's tick, and its steps of Newton's method."""
    figure, part = figures.ring(19, tilt=True), 4
    equations, at = with_goal(figure, part)
    start, place = at.configuration, figure.poses[part].points(POINT)
    begin, steps = time.process_time(), 0
    for tick in range(TICKS):
        shift = SIZE_OF_TICK * (tick + 1) * equations.groups.length * PATH / np.linalg.norm(PATH)
        equations = equations.with_goals([PointGoal(part, POINT, place + shift)])
        while True:
            rows = equations.rows(at.configuration)
            if np.abs(rows.value).max() <= ACCURACY:
                break
            at = newton_step(equations, start, at, rows)
            steps += 1
    return (time.process_time() - begin) / TICKS, steps / TICKS


def dragged_by_mink() -> Callable[[], tuple[float, float]] | None:
    """Return what drags a chain of 19 ball joints with mink, or None where that is not installed."""
    if find_spec("mink") is None or find_spec("mujoco") is None:
        return None
    mink, mujoco = import_module("mink"), import_module("mujoco")
    bodies, ends = "", ""
    for i in range(19):
        bodies += (
            f'<body pos="{0.33 if i else 0.0} 0 {0.05 * (i % 2)}"><joint type="ball"/>'
            '<geom type="capsule" size=".02 .1" pos=".16 0 0" euler="0 90 0" mass="1"/>'
        )
        ends += "</body>"
    xml = f'<mujoco><worldbody>{bodies}<site name="tip" pos=".33 0 0"/>{ends}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(xml)

    def drag() -> tuple[float, float]:
        configuration = mink.Configuration(model)
        q, rng = configuration.q.copy(), np.random.default_rng(0)
        for i in range(19):
            turn = np.array([1.0, *(0.3 * rng.normal(size=3))])
            q[4 * i : 4 * i + 4] = turn / np.linalg.norm(turn)
        configuration.update(q)
        task = mink.FrameTask("tip", "site", position_cost=1.0, orientation_cost=0.0, lm_damping=1e-6)
        posture = mink.PostureTask(model, cost=1e-3)
        frame = configuration.get_transform_frame_to_world("tip", "site")
        size, begin, steps = 0.33 * 19.0, time.process_time(), 0
        for tick in range(TICKS):
            posture.set_target_from_configuration(configuration)  # least motion from where it was
            shift = -SIZE_OF_TICK * (tick + 1) * size * PATH / np.linalg.norm(PATH)
            task.set_target(
                mink.SE3.from_rotation_and_translation(frame.rotation(), frame.translation() + shift)
            )
            while np.linalg.norm(task.compute_error(configuration)[:3]) > ACCURACY * size:
                velocity = mink.solve_ik(configuration, [task, posture], 1.0, "quadprog", damping=1e-9)
                configuration.integrate_inplace(velocity, 1.0)
                steps += 1
                if steps > 20 * TICKS:
                    break
        return (time.process_time() - begin) / TICKS, steps / TICKS

    return drag


def newton_seconds(figure: Figure) -> tuple[int, float]:
    """Return the variables of a figure's KKT matrix, and the CPU seconds of a step of Newton's method."""
    equations, at = with_goal(figure, len(figure.linkage) // 2)
    start = at.configuration
    goal = equations.goals[0]
    assert isinstance(goal, PointGoal)
    shift = 0.01 * equations.groups.length * PATH
    equations = equations.with_goals([PointGoal(goal.part, POINT, goal.target + shift)])
    at = newton_step(equations, start, at, equations.rows(start))  # finds the structure
    best = np.inf
    for _ in range(5):
        begin = time.process_time()
        newton_step(equations, start, at, equations.rows(at.configuration))
        best = min(best, time.process_time() - begin)
    return 7 * len(equations.groups) + len(equations.groups) + len(equations), best


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return the slope of seconds over sizes, on logarithms, of the larger half."""
    return float(np.polyfit(np.log(sizes[-3:]), np.log(seconds[-3:]), 1)[0])


def report_growth(name: str, make: Callable[[int], Figure], sizes: tuple[int, ...]) -> None:
    """Print the time of a Newton step of larger and larger figures."""
    variables, seconds = [], []
    for size in sizes:
        count, best = newton_seconds(make(size))
        variables.append(count)
        seconds.append(best)
        print(f"  {name} of {size}: {count} variables, {1e3 * best:.2f} ms a Newton step")
    print(f"  {name}: grows with an exponent of {exponent(variables, seconds):.2f} (asked: at most 1.15)")


def main() -> None:
    """Run and print all."""
    sizes = SIZES[:3] if "--short" in sys.argv else SIZES
    equations, at = with_goal(figures.ring(19, tilt=True), 4)
    matrix = explicit_kkt(equations, at.configuration)
    print(f"Linkages: a ring of 19 bodies has {matrix.shape[0]} variables and {matrix.nnz} non-zeros")
    by_mink = dragged_by_mink()
    mine, peers, steps, peer_steps = [], [], 0.0, 0.0
    for _ in range(REPEATS):
        seconds, steps = dragged_ring()
        mine.append(seconds)
        if by_mink is not None:
            seconds, peer_steps = by_mink()
            peers.append(seconds)
    print(f"  a drag's tick takes {1e3 * np.median(mine):.2f} ms in {steps:.1f} Newton steps")
    if peers:
        ratio = np.median(mine) / np.median(peers)
        took = f"  mink takes {1e3 * np.median(peers):.2f} ms in {peer_steps:.1f} steps"
        print(f"{took}: ours is {ratio:.2f} times it (asked: at most 1.5)")
    else:
        print("  mink is not installed: pip install mink quadprog to compare")
    report_growth("ring", lambda size: figures.ring(size, tilt=True), sizes)
    report_growth("star", figures.star, sizes)


if __name__ == "__main__":
    main()
