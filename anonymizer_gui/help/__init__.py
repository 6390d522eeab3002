"""Help in the window: pages, search, glossary, and the page of each widget."""
