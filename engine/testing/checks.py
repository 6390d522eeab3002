"""The checks of each kind of member, by the laws, on members' declarations and on random small tables."""

from __future__ import annotations

import ast
import importlib.util
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from engine import plugins
from engine.errors import AnonymizerError, TableError
from engine.families import FAMILIES
from engine.lattice import Node
from engine.monitor import SILENT
from engine.params import Integer, Real, values_of
from engine.pipeline import export_release
from engine.privacy import Group, PrivacyModel, Requirement, privacy_models
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.claims import population_claim, release_claim
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe, write_recipe
from engine.recoding import (
    Recoding,
    RecodingTask,
    make_local_release,
    make_release,
    recoding_methods,
    rooted,
)
from engine.records.opening.files import read
from engine.records.options import ReadOptions
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.walk.tuples import at_node, base_tuples, measured_classes
from engine.search import SearchTask, search_algorithms
from engine.testing import laws, samples
from engine.testing.laws import hold
from engine.utility import utility_metrics
from engine.verification import verify
from engine.verification.claims import ModelClaim
from engine.verification.models.base import plugged_verifiers
from engine.verification.plugged import plugged_readers

_CASES = 20  # random tables of each law
_JUDGED = 6  # written files, which take longer


@dataclass(frozen=True)
class Check:
    """A sentence that should be true of a member, and the function that raises if it is not."""

    sentence: str
    run: Callable[[], object]


def checks_of(group: str, key: str) -> list[Check]:
    """Return the checks of a member that is loaded, by its kind."""
    found: list[Check] = []
    if group in FAMILIES:
        found += _of_any(group, key)
    return [*found, *_OF_KIND.get(group, _none)(key)]


def _none(key: str) -> Iterator[Check]:
    return iter(())


def _of_any(group: str, key: str) -> Iterator[Check]:
    registry = FAMILIES[group]
    kind = registry[key]
    yield Check("It is made from its defaults", lambda: laws.it_is_made_from_its_defaults(registry, key))
    yield Check("Its parameters are explained", lambda: laws.its_parameters_are_explained(kind))
    yield Check(
        "Values outside their bounds are refused", lambda: laws.values_outside_bounds_are_refused(kind)
    )
    yield Check(
        "It is restored from files", lambda: laws.it_is_restored_from_files(registry, laws.made(kind))
    )


# Privacy models and their judges --------------------------------------------------------------------


def _of_model(key: str) -> Iterator[Check]:
    kind = privacy_models[key]
    yield Check("It describes itself", lambda: laws.a_model_describes_itself(kind))
    yield Check("It cites its source", lambda: laws.a_model_cites_its_source(kind))
    yield Check("Its threshold can be changed", lambda: laws.its_threshold_can_be_changed(kind))
    yield Check("It is restored from a recipe", partial(_restored_from_a_recipe, key))
    yield Check("It has a verifier", partial(_has_a_judge, key))
    if kind.group is Group.SAMPLING:  # it concerns how records are drawn, which no node shows
        return
    if not kind.is_table_wide:
        yield Check(
            "A class meets it exactly if its measure meets the threshold", partial(_on_cases, key, _measures)
        )
        yield Check("It carries over to successors as declared", partial(_on_cases, key, _carries_over))
    yield Check("Written releases are verified", partial(_on_cases, key, _is_verified, n=_JUDGED))
    yield Check("The verifier agrees with the model", partial(_on_cases, key, _is_judged_alike, n=_JUDGED))


def _on_cases(key: str, law: Callable[[PrivacyModel, Project, Random], None], n: int = _CASES) -> None:
    model = laws.made(privacy_models[key])
    for seed in range(n):
        source = Random(seed)
        project = samples.project_of(
            source, has_population=model.needs_people, has_weights=model.needs_weights
        )
        law(model, project, source)


def _node(project: Project, source: Random) -> Node:
    problem = compile_problem(project)
    return samples.node_of(source, problem.lattice.maximum)


def _classes(project: Project, model: PrivacyModel, node: Node) -> Any:
    problem = compile_problem(replace(project, requirement=Requirement((model,), 1.0)))
    return measured_classes(problem, at_node(base_tuples(problem), node))[1]


def _attained(model: PrivacyModel, classes: Any) -> list[float]:
    """Return the values of classes that may be the threshold."""
    descriptor = type(model).threshold_parameter()
    assert isinstance(descriptor, Integer | Real)
    measured = np.unique(model.measure(classes)).tolist()
    return [value for value in measured if descriptor.minimum <= value <= descriptor.maximum]


def _measures(model: PrivacyModel, project: Project, source: Random) -> None:
    classes = _classes(project, model, _node(project, source))
    for value in _attained(model, classes):
        own = type(model).critical is not PrivacyModel.critical  # a tolerance or a further condition
        laws.a_class_meets_exactly_what_it_measures(
            model, classes, value, 1e-9 if own else 0.0, has_further_condition=own
        )


def _carries_over(model: PrivacyModel, project: Project, source: Random) -> None:
    if model.monotonic.name == "NEVER":
        return
    problem = compile_problem(replace(project, requirement=Requirement((model,), 1.0)))
    low = _classes(project, model, problem.lattice.minimum)
    for value in _attained(model, low)[:3]:
        turned = model.with_limit(value)
        holds = {}
        for number in range(problem.lattice.n_nodes):
            node = problem.lattice.node(number)
            holds[node] = bool(turned.fulfilled(_classes(project, turned, node)).all())
        for node in holds:
            for successor in problem.lattice.successors(node):
                hold(
                    holds[successor] or not holds[node],
                    f"node {node} meets it at {value}, but {successor} does not, which its monotonic denies",
                )


def _restored_from_a_recipe(key: str) -> None:
    project = samples.project_of(Random(0))
    model = laws.made(privacy_models[key])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recipe.toml"
        write_recipe(replace(project, requirement=Requirement((model,), 0.25)), path)
        hold(read_recipe(path).requirement.models == (model,), "a recipe restores another model")


def _has_a_judge(key: str) -> None:
    hold(
        privacy_models.offer_of(key) is None or key in plugged_verifiers(),
        f"no package offers a verifier '{key}', so that releases with this model cannot be verified",
    )


def _is_verified(model: PrivacyModel, project: Project, source: Random) -> None:
    """Release a node with the model at a threshold that some classes meet; its file must be verified."""
    node = _node(project, source)
    turned = model
    if not model.is_table_wide and (values := _attained(model, _classes(project, model, node))):
        turned = model.with_limit(source.choice(values))
    required = replace(project, requirement=Requirement((turned,), 1.0))
    release = make_release(required, compile_problem(required), node)
    with tempfile.TemporaryDirectory() as folder:
        verdict = export_release(required, release, Path(folder) / "released.csv")
    hold(verdict.ok, f"a correct release is refused: {' '.join(verdict.problems)}")


def _is_judged_alike(model: PrivacyModel, project: Project, source: Random) -> None:
    """Claim the model of a release that was made without it: the verifier must agree with the model."""
    node = _node(project, source)
    free = replace(project, requirement=Requirement((KAnonymity(1),), 0.0))
    release = make_release(free, compile_problem(free), node)
    if model.is_table_wide:
        return
    classes = _classes(project, model, node)
    with tempfile.TemporaryDirectory() as folder:
        original, written = Path(folder) / "original.csv", Path(folder) / "released.csv"
        export_release(free, release, written)
        _write_original(free, original)
        people = population_claim(free, Path(folder), copies=True)
        claimed = replace(release, requirement=Requirement((model,), 0.0))
        claim = release_claim(free, claimed, original, written, is_copy=True)
        claim = replace(claim, population=people)
        for value in _attained(model, classes):
            turned = model.with_limit(value)
            own = ModelClaim(turned.key, values_of(turned))
            verdict = verify(replace(claim, models=(own,)))
            found = verdict.ok
            expected = bool(turned.fulfilled(classes).all())
            hold(
                found == expected,
                f"at {value} the verifier says {_said(found)}, but the model says {_said(expected)} "
                f"({' '.join(verdict.problems)})",
            )


def _said(met: bool) -> str:
    return "met" if met else "not met"


def _write_original(project: Project, path: Path) -> None:
    from engine.records.text.writing import write_csv

    write_csv(path, project.table.names, [(c.labels, c.codes) for c in project.table.columns])


def _of_judge(group: str, key: str) -> Iterator[Check]:
    yield Check("It shares no code with the engine", partial(_shares_nothing, group, key))


def _shares_nothing(group: str, key: str) -> None:
    """Hold the modules of a verifier to imports of the verification, within its package and the engine."""
    offer = next(offer for offer in plugins.offers(group) if offer.key == key)
    package = offer.entry.module.partition(".")[0]
    seen: set[str] = set()
    waiting = [package, offer.entry.module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        found = importlib.util.find_spec(name)
        if found is None or not found.origin or not found.origin.endswith(".py"):
            continue
        for imported in _imports(Path(found.origin).read_text("utf-8"), name):
            allowed = ("engine.verification", "engine.words")
            hold(
                imported.partition(".")[0] != "engine" or imported.startswith(allowed),
                f"'{name}' imports '{imported}'; only engine.verification may be used",
            )
            if imported.partition(".")[0] == package:
                waiting.append(imported)


def _imports(source: str, module: str) -> Iterator[str]:
    """Yield the modules that a source imports anywhere."""
    for statement in ast.walk(ast.parse(source)):
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            base = statement.module or ""
            if statement.level:
                base = ".".join([*module.split(".")[: -statement.level], *filter(None, [base])])
            yield base


# Utility metrics ------------------------------------------------------------------------------------


def _of_metric(key: str) -> Iterator[Check]:
    def on_cases(law: Callable[[Any, Evaluation, Random], None], *, is_free: bool = False) -> None:
        metric = utility_metrics.create(key)
        for seed in range(_CASES):
            source = Random(seed)
            required = Requirement((), 0.0) if is_free else samples.requirement_of(source)
            law(metric, _evaluated(samples.project_of(source), required), source)

    def weighted(metric: Any, evaluation: Evaluation, source: Random) -> None:
        laws.weights_change_a_metric_only_if_declared(metric, evaluation, samples.weights_of(source))

    def suppressed(metric: Any, evaluation: Evaluation, source: Random) -> None:
        kept = evaluate(evaluation.profile, Requirement())
        laws.suppression_never_lowers_a_metric(metric, evaluation, kept, samples.weights_of(source))

    kind = utility_metrics[key]
    yield Check("It has a meaning", lambda: hold(kind.meaning, "it has no meaning"))
    yield Check(
        "It stays within its bounds",
        lambda: on_cases(lambda m, e, _s: laws.a_metric_stays_within_its_bounds(m, e)),
    )
    yield Check("Weights change it only if declared", lambda: on_cases(weighted))
    yield Check(
        "It never falls if it is monotonic",
        lambda: on_cases(lambda m, e, _s: laws.a_monotonic_metric_never_falls(m, e), is_free=True),
    )
    yield Check("Suppression never lowers it if it declares that", lambda: on_cases(suppressed))


def _evaluated(project: Project, requirement: Requirement) -> Evaluation:
    problem = compile_problem(replace(project, requirement=requirement))
    return evaluate(score_lattice(problem, profile=LatticeProfile(problem, requirement)), requirement)


# Builders, algorithms, methods, readers -------------------------------------------------------------


def _of_builder(key: str) -> Iterator[Check]:
    kind = FAMILIES[plugins.BUILDERS][key]

    def builds() -> None:
        accepted = 0
        for seed in range(_CASES):
            for column in samples.columns_for_builders(Random(seed)):
                laws.a_built_hierarchy_is_a_tree(kind(), column)
                accepted += kind().accepts(column)
        hold(accepted, "it accepts no column of texts, numbers or dates")

    yield Check("It describes itself", lambda: laws.a_builder_describes_itself(kind))
    yield Check("A built hierarchy is a tree over all values", builds)


def _of_algorithm(key: str) -> Iterator[Check]:
    kind = search_algorithms[key]

    def searches(**limits: Any) -> None:
        for seed in range(_CASES):
            source = Random(seed)
            requirement = samples.requirement_of(source)
            project = replace(samples.project_of(source), requirement=requirement)
            task = SearchTask(compile_problem(project), requirement, "loss", seed=seed, **limits)
            result = kind().run(task, SILENT)
            evaluation = _evaluated(project, requirement)
            laws.the_claims_of_a_search_are_true(kind, result, evaluation, "loss")
            if kind.promise == "optimal" and not limits:
                hold(result.is_proved, "it promises an optimum that it does not prove")
            hold(result.nodes_checked <= limits.get("steps", math.inf), "it exceeds its limit of steps")

    yield Check("It describes itself", lambda: laws.an_algorithm_describes_itself(kind))
    yield Check("Its claims are true", searches)
    yield Check("Its claims are true within a limit of steps", lambda: searches(steps=2))


def _of_recoding(key: str) -> Iterator[Check]:
    kind = recoding_methods[key]

    def recodes() -> None:
        for seed in range(_JUDGED):
            source = Random(seed)
            requirement = replace(samples.requirement_of(source), suppression_limit=1.0)
            project = replace(samples.project_of(source), requirement=requirement)
            problem = compile_problem(project)
            node = samples.node_of(source, problem.lattice.maximum)
            start = Recoding.of_node(node, make_release(project, problem, node).suppressed)
            whole = rooted(problem)
            task = RecodingTask(whole, requirement, start=start if kind.needs_start else None, seed=seed)
            recoding = kind().improve(task, SILENT)
            hold(
                recoding.levels.shape == (problem.n_records, len(problem.attributes)),
                "it does not return a level for every cell",
            )
            release = make_local_release(project, whole, recoding, key)
            with tempfile.TemporaryDirectory() as folder:
                verdict = export_release(project, release, Path(folder) / "released.csv")
            hold(verdict.ok, f"its release is refused: {' '.join(verdict.problems)}")

    yield Check(
        "Its summary is a sentence",
        lambda: hold(kind.summary.endswith("."), "its summary is not a sentence"),
    )
    yield Check("Its releases are verified", recodes)


def _of_reader(key: str) -> Iterator[Check]:
    def refuses() -> None:
        """Files without any sense must be refused by an error for users."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"odd.{key}"
            for content in (b"", b"\x00\xff" * 40):
                path.write_bytes(content)
                try:
                    read(path, ReadOptions())
                except TableError as error:
                    hold(error.hint, f"its refusal has no hint: {error.problem}")

    yield Check("Files that cannot be read are refused with a hint", refuses)
    yield Check(
        "The verification has a reader too",
        lambda: hold(
            key in plugged_readers(),
            f"no package offers a verification reader '{key}'; originals in this format cannot be verified",
        ),
    )


_OF_KIND: Mapping[str, Callable[[str], Iterator[Check]]] = {
    plugins.MODELS: _of_model,
    plugins.METRICS: _of_metric,
    plugins.BUILDERS: _of_builder,
    plugins.ALGORITHMS: _of_algorithm,
    plugins.RECODING: _of_recoding,
    plugins.READERS: _of_reader,
    plugins.JUDGES: partial(_of_judge, plugins.JUDGES),
    plugins.JUDGE_READERS: partial(_of_judge, plugins.JUDGE_READERS),
}


def failure_of(check: Check) -> str:
    """Run a check; return what is wrong, or an empty text."""
    try:
        check.run()
    except laws.BrokenLawError as broken:
        return str(broken)
    except AnonymizerError as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:  # a member may fail in any way
        return f"{type(error).__name__}: {error}"
    return ""
