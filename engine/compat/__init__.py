"""The numbers other libraries give, slips included; one module each, and never what is shown by default."""
