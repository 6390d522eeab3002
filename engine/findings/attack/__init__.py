"""Attacks on a test release, compared with a control group: singling out, linkability, inference."""
