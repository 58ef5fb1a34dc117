"""A small run of the thousand laid tables: killed, started again, made again, and judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.laid_tables import judged, overlapping, prepare


@pytest.mark.slow
def test_a_batch_that_is_killed_loses_nothing_does_nothing_twice_and_comes_again_to_the_bit(
    tmp_path: Path,
) -> None:
    found = judged(tmp_path, 4, 2)
    assert found.pop("exit code") == 0
    assert found.pop("variations") == 4
    assert found.pop("made again") == 2
    assert 2 <= int(str(found.pop("done before it was killed"))) < 4
    found.pop("scattered anew")
    assert set(found.values()) == {0}, found
    result = json.loads((tmp_path / "variations" / "000000.json").read_text())
    meshes = prepare(tmp_path, 4)
    assert not overlapping(result, meshes)
    result["objects"]["Mug"]["matrix_world"][2][3] -= 0.002  # so much into the table
    assert overlapping(result, meshes) == [("Mug", "Table")]
