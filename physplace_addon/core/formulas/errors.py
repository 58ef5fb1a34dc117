"""What can be wrong with a formula, shown at the character where it is."""

from __future__ import annotations

from ..errors import PhysPlaceError

_SHOWN = 30  # characters on both sides of the place that are shown


class FormulaError(PhysPlaceError):
    """A formula that has no meaning: its text, the character (from 0) at fault, what was found, a remedy."""

    def __init__(self, text: str, position: int, found: str, remedy: str) -> None:
        self.text = text
        self.position = position
        self.found = found
        self.remedy = remedy
        super().__init__(f"{self.summary}\n{self.excerpt}")

    @property
    def summary(self) -> str:
        """One line: where, what was found, and what would be right."""
        return f"character {self.position + 1}: {self.found}; {self.remedy}"

    @property
    def excerpt(self) -> str:
        """Two lines: the text about the place, and a caret below it."""
        start, stop = max(self.position - _SHOWN, 0), self.position + _SHOWN
        before = "..." if start else ""
        after = "..." if stop < len(self.text) else ""
        shown = "".join(character if character.isprintable() else " " for character in self.text[start:stop])
        caret = " " * (len(before) + self.position - start) + "^"
        return f"    {before}{shown}{after}\n    {caret}"
