"""What a person wants to find again: pinned nodes and applied releases, and two of them side by side."""
