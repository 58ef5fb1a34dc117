"""Properties that are computed once."""

from dataclasses import dataclass

from physplace_addon.core.caching import cached_property


@dataclass(frozen=True)
class Square:
    side: float
    computed: list[float]

    @cached_property
    def area(self) -> float:
        """The area."""
        self.computed.append(self.side)
        return self.side * self.side


def test_a_property_is_computed_once_for_each_object() -> None:
    computed: list[float] = []
    squares = [Square(2.0, computed), Square(3.0, computed)]
    assert [square.area for square in 2 * squares] == [4.0, 9.0, 4.0, 9.0]
    assert computed == [2.0, 3.0]


def test_an_equal_object_computes_its_own() -> None:
    square = Square(2.0, [])
    assert square.area == 4.0
    assert "area" in vars(square)
    assert "area" not in vars(Square(2.0, []))


def test_of_the_class_it_is_the_property_with_its_documentation() -> None:
    assert isinstance(Square.area, cached_property)
    assert Square.area.__doc__ == "The area."
