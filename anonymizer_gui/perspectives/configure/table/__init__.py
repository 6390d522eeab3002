"""Table of records and the settings of its columns: roles, people, released values."""
