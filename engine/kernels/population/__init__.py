"""How many people are alone with their values in a population, estimated from a sample's class sizes."""
