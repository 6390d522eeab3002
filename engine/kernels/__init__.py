"""Functions of arrays: numpy only, no pandas, no engine classes."""
