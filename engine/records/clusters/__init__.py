"""Tables of a cluster, counted and released there."""
