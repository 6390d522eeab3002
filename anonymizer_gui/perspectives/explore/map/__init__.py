"""Map of Explore: scatter plot of all nodes by any two scores."""
