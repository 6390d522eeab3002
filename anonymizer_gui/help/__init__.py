"""Help in the window: pages, search, the glossary, and which page is about what."""
