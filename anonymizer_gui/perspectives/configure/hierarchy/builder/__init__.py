"""Panel for hierarchies made by a builder: form, examples and notes."""
