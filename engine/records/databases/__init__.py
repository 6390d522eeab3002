"""Tables of databases: their address, encryption, reading, and counting in place."""
