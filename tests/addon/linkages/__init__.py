"""Tests of posing jointed figures through the operators."""
