"""An example of a plug-in of Anonymizer. It is empty, so that the verifiers import nothing else."""
