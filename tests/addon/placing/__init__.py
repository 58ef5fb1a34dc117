"""Tests of placing, dragging, forces and copies through the operators."""
