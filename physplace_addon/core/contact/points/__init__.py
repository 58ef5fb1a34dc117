"""Interface points of curved features (Snyder 1995, section 4).  Where each part of the paper is:

| paper | what | where |
|---|---|---|
| 3 | spheres of neglect | `face_seeds.neglected` |
| 4 | interface points: contact pairs and extremal pairs | `interface_points.InterfacePoints` |
| 4.1 | tracking: conditioning phase | `generation.track_interface_points` |
| 4.1 | tracking: contact adjustment phase | `contact.adjustment` |
| 4.2, 1 | extremal to contact: the gap reaches zero | `contact.adjustment`, which keeps all g >= 0 |
| 4.2, 2 | contact to extremal: the force would attract | `optimization.non_negative`: all forces f >= 0 |
| 4.2, 3 | vanishes: the separation exceeds a threshold | `generation`, for the points that persist |
| 4.2, 3 | vanishes: the conditioning phase fails | `extremal_pairs.solve_extremal_pairs`: validity |
| 4.2, 3 and 4 | vanishes: too close to another point | `interface_points.without_duplicates` |
| 4.2, 3 and 4 | vanishes: falls off the domain of its patch | `minimization.ExtremalPairs.converged` |
| 4.2 | contacts that may not separate ("sticky") | `contact.bilateral` |
| 4.3, 1 to 3 | creation: from triangles to starts | `face_seeds`, `feature_seeds`, `surface_crossings` |
| 4.3, 4 | creation: onto the extremal pair | `creation.created_points` |
| 4.3, 5 | creation: onto a contact pair | `contact.adjustment` |
| 4.3 | threshold of the distance a new point moves | `creation.Reach.threshold` |
| 4.4 | the equations and their iteration | `minimization`; `extremal_pairs` for sides and validity |

Beyond the paper are the derivatives of gaps by the pose (`linearization`), samples of contact curves
(`contact_curves`), and the closed forms of flat features (`contact.regions`).
"""
