"""Which columns could tell who a record is about."""
