"""The numbers of pyCANON 1.3.5, to be reproduced; `engine.findings` has the definitions."""

from anonymizer_compat.pycanon.metrics import (
    average_ecsize,
    average_rir,
    classification_metric,
    discernability_metric,
    max_rir,
    sa_entropy,
    sizes_ec,
    stats_quasi_ident,
)
from anonymizer_compat.pycanon.models import (
    alpha_k_anonymity,
    basic_beta_likeness,
    delta_disclosure,
    enhanced_beta_likeness,
    entropy_l_diversity,
    k_anonymity,
    l_diversity,
    recursive_c_l_diversity,
    t_closeness,
)
from anonymizer_compat.pycanon.reports import check, pycanon_report, utility
from engine.compat import OtherProgram

__all__ = [
    "PROGRAM",
    "alpha_k_anonymity",
    "average_ecsize",
    "average_rir",
    "basic_beta_likeness",
    "check",
    "classification_metric",
    "delta_disclosure",
    "discernability_metric",
    "enhanced_beta_likeness",
    "entropy_l_diversity",
    "k_anonymity",
    "l_diversity",
    "max_rir",
    "pycanon_report",
    "recursive_c_l_diversity",
    "sa_entropy",
    "sizes_ec",
    "stats_quasi_ident",
    "t_closeness",
    "utility",
]

PROGRAM = OtherProgram(check=check, utility=utility, report=pycanon_report)
