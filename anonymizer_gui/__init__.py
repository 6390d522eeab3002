"""Desktop window of the program: the only package that imports Qt."""
