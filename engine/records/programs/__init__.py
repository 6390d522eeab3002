"""Files of other programs: workbooks, and data of statistical programs with their labels."""
