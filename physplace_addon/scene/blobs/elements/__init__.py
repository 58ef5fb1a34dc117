# SPDX-License-Identifier: GPL-3.0-or-later
"""The elements of blobs: what each kind is, how it is read from empties and written back."""
