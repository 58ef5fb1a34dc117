"""Tests of the operators on blobs."""
