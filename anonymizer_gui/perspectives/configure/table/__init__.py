"""The table of records and what is said of its columns: roles, weights, people, what is released of them."""
