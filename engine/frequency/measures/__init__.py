"""What is measured of the sensitive values of classes, one file each, found by its name."""
