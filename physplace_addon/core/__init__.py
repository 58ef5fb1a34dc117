"""The numerical core: numpy and scipy only, never bpy or mathutils."""
