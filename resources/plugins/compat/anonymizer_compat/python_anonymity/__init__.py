"""Results of python-anonymity 0.0.1.post1, the program of a thesis, known bugs included."""

from anonymizer_compat.python_anonymity.datafly import (
    DataflyCost,
    apply_l_diversity_supp,
    cost,
    datafly,
    l_diversity,
    t_closeness,
    t_closeness_supp,
)
from anonymizer_compat.python_anonymity.metrics import (
    avr_equiv_class_size,
    discernibility,
    generalized_information_loss,
    utility,
)
from anonymizer_compat.python_anonymity.ranges import create_ranges
from engine.compat import OtherProgram

__all__ = [
    "PROGRAM",
    "DataflyCost",
    "apply_l_diversity_supp",
    "avr_equiv_class_size",
    "cost",
    "create_ranges",
    "datafly",
    "discernibility",
    "generalized_information_loss",
    "l_diversity",
    "t_closeness",
    "t_closeness_supp",
    "utility",
]

PROGRAM = OtherProgram(utility=utility)
