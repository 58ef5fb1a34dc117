"""Tests of the operators on kept rests."""
