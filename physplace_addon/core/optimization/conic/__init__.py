"""Problems with contacts, Coulomb friction, limits and equations: second-order cones."""
