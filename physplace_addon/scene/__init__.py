# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender and core: objects are read into bodies and poses; poses, keys and reports are written back.

The only package that knows both bpy and core. Blender's float32 is met here and nowhere else.
"""
