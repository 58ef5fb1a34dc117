"""Contact: where bodies touch or nearly touch, how gaps change, and what keeps bodies from overlapping.

`system` is the door.  Behind it, in the order in which they use one another:

`features`, `row_lists`           points on faces, edges and vertices; which triangle owns which feature
`normal_bounds`, `contact_body`   one body prepared for contact
`points.interface_points`         the records of interface points
`body_pair`                       two bodies and their relative pose
`normal_cones`, `sidedness`       in which directions a feature presses, and on which side of a sheet it is
`regions`, `points`               generation: flat features in closed form, curved ones by iteration
`pair_derivatives`                derivatives of gaps by the motions of both bodies
`continuous_collision`            what crosses during a motion
`interpenetration`                what overlaps at one pose
`many_pairs`                      which bodies are near; points of many pairs of small solids in one batch
`contact_system`                  many bodies: interface points of all pairs, their derivatives
`bilateral`                       contacts that may not separate
`adjustment`, `free_travel`       bringing bodies clear of each other; how far one may travel freely
"""
