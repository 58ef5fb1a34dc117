"""Motion in time: Newton-Euler bodies, joints, impacts, contact events (Bouma and Vanecek 1991)."""
