"""Values as other programs compute them, with their known bugs; one module or package each."""
