"""An example of a plug-in of Anonymizer. It is empty, so that the judges import nothing else."""
