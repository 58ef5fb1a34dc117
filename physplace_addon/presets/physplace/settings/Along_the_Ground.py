# SPDX-License-Identifier: GPL-3.0-or-later
"""Rocks, huts, props of a landscape: turned along the ground, and held on slopes."""

import bpy

settings = bpy.context.scene.physplace

settings.stance = "GROUND"
settings.onto = "EVERYTHING"
settings.whole_models = True
settings.place_on_release = False
settings.use_scene_gravity = True
settings.gravity = (0.0, 0.0, -1.0)
settings.eps_max = 0.05
settings.step_limit = 400
settings.check_energy = True
settings.balance = "NONNEGATIVE"
settings.friction = 0.8
settings.alpha = 0.0
settings.curve_smooth = False
settings.leave_metastable = False
settings.seed = 0
settings.free_depth = 0.01
settings.key_path = False
settings.frame_step = 1
settings.key_error = 0.0
settings.steps_per_second = 240
settings.body_friction = 0.5
settings.body_restitution = 0.0
settings.end_at_proven_rest = True
