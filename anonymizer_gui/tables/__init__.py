"""Tables of the window: rows of cells, and views that show, sort and copy them."""
