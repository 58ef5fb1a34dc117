"""What drives bodies from outside: motions that are given, and the pull at a point."""
