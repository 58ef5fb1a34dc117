"""Gives the window another size, as the artist's mouse at its border would: through the X server."""

from __future__ import annotations

import ctypes
import os

from tests.window.user import User

Size = tuple[int, int]


async def resize(user: User, size: Size) -> None:
    """Let the window be so many pixels wide and high."""
    _resize((user.window.width, user.window.height), size)
    await user.until(lambda: (user.window.width, user.window.height) == size)
    await user.wait()


def _resize(old: Size, size: Size) -> None:
    """Resize the windows of the X server's screen that are as large as Blender's."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(os.environ["DISPLAY"].encode()))
    try:
        root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
        for window in _children(x11, display, root):
            if _size(x11, display, window) == old:
                x11.XResizeWindow(display, window, *size)
        x11.XSync(display, 0)
    finally:
        x11.XCloseDisplay(display)


def _children(x11: ctypes.CDLL, display: ctypes.c_void_p, root: ctypes.c_ulong) -> list[ctypes.c_ulong]:
    unused, count, found = ctypes.c_ulong(), ctypes.c_uint(), ctypes.POINTER(ctypes.c_ulong)()
    x11.XQueryTree(display, root, *map(ctypes.byref, (unused, ctypes.c_ulong(), found, count)))
    windows = [ctypes.c_ulong(found[i]) for i in range(count.value)]
    x11.XFree(found)
    return windows


def _size(x11: ctypes.CDLL, display: ctypes.c_void_p, window: ctypes.c_ulong) -> Size:
    root, x, y = ctypes.c_ulong(), ctypes.c_int(), ctypes.c_int()
    width, height, border, depth = (ctypes.c_uint() for _ in range(4))
    x11.XGetGeometry(display, window, *map(ctypes.byref, (root, x, y, width, height, border, depth)))
    return width.value, height.value
