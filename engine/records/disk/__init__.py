"""Records in files of this machine: mapped, copied as codes, or dealt into parts."""
