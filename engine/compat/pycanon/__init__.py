"""The numbers of pyCANON 1.3.5, to be reproduced; `engine.findings` has the definitions."""

from engine.compat.pycanon.metrics import (
    average_ecsize,
    average_rir,
    classification_metric,
    discernability_metric,
    max_rir,
    sa_entropy,
    sizes_ec,
    stats_quasi_ident,
)
from engine.compat.pycanon.models import (
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
from engine.compat.pycanon.reports import check, utility

__all__ = [
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
    "recursive_c_l_diversity",
    "sa_entropy",
    "sizes_ec",
    "stats_quasi_ident",
    "t_closeness",
    "utility",
]
