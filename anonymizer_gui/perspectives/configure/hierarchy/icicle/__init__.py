"""The hierarchy as a picture: values at the bottom, groups above, changed by mouse and keys."""
