"""Arrays in, arrays out: numpy only, no pandas, no engine classes."""
