"""All components of an implicit surface, and a proof that there are no others."""
