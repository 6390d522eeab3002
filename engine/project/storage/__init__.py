"""The project file: written and opened, locked against a second window, recovered and salvaged."""
