"""The map of Explore: any score of the nodes against any other."""
