"""Families of members, found by importing their package."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.errors import InputError
from engine.params import Configurable, Integer, param
from engine.privacy import privacy_models
from engine.privacy.k_anonymity import KAnonymity
from engine.registry import Registry
from engine.search import search_algorithms
from engine.utility import utility_metrics


def test_every_file_of_a_family_is_found_without_being_named() -> None:
    assert set(privacy_models) >= {"k_anonymity", "distinct_l_diversity", "t_closeness"}
    assert set(utility_metrics) >= {
        "loss",
        "gen_iloss",
        "precision",
        "discernibility",
        "aecs",
        "c_avg",
        "non_uniform_entropy",
        "classification",
        "ambiguity",
        "kl_divergence",
        "height",
        "normalized_entropy",
        "entropy_loss",
        "payout",
    }
    assert "exhaustive" in search_algorithms
    assert len(privacy_models) == len(list(privacy_models))


def test_a_member_is_made_by_its_key_with_its_parameters() -> None:
    assert privacy_models.create("k_anonymity", k=7) == KAnonymity(7)
    assert privacy_models["k_anonymity"].key == "k_anonymity"


def test_an_unknown_key_names_the_nearest_known_one() -> None:
    with pytest.raises(InputError, match=r"Unknown privacy model 'k_anonimity'.*'k_anonymity'"):
        privacy_models.create("k_anonimity")


def test_an_unknown_parameter_names_the_nearest_known_one() -> None:
    with pytest.raises(InputError, match=r"Unknown parameter 'kk'.*'k'"):
        privacy_models.create("k_anonymity", kk=3)


def test_a_key_cannot_be_registered_twice() -> None:
    family: Registry[Configurable] = Registry("engine.privacy", "thing")

    @family.register("one")
    @dataclass(frozen=True, slots=True)
    class One(Configurable):
        size: int = param(1, Integer())

    with pytest.raises(ValueError, match="'one' is registered twice"):
        family.register("one")(One)
