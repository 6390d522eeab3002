"""Transformers of scikit-learn: one that anonymizes its records, and one that recodes new ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from engine.errors import AnonymizerError
from engine.privacy import PrivacyModel
from engine.privacy.k_anonymity import KAnonymity
from engine.python.anonymizing import SUGGEST, anonymize
from engine.python.frames import Cells, Frame, Texts, frame_of, is_frame
from engine.python.released import Released
from engine.recoding import RecodingMethod
from engine.records.table_files import need
from engine.words import _

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils import TransformerTags
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:  # the names are public, and must be there without scikit-learn too
    BaseEstimator = object
    OneToOneFeatureMixin, TransformerMixin = (type(name, (), {}) for name in ("Columns", "Transformer"))


class KAnonymizer(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Anonymize a table so that every record is equal to at least `k` - 1 others.

    There is no `transform`: classes are made of the records at hand, so new records cannot be added to a
    release. Records keep their order, and suppressed ones have `*` in their quasi-identifying columns.

    Parameters
    ----------
    models : sequence of PrivacyModel
        Further privacy models, of sensitive columns for example.
    quasi_identifying : sequence of str, optional
        By default all columns that have no other role.
    sensitive, insensitive : sequence of str
        Columns of an array are named x0, x1 and so on.
    hierarchies, suppression_limit, recoding, keep_index
        As in `engine.anonymize`.

    Attributes
    ----------
    released_ : Released
        It is not stored with the transformer, because it contains the original table.
    feature_names_in_ : ndarray of str
        Only if X has names.

    Raises
    ------
    TableError
        scikit-learn is not installed.
    """

    def __init__(
        self,
        k: int = 5,
        *,
        models: Sequence[PrivacyModel] = (),
        quasi_identifying: Sequence[str] | None = None,
        sensitive: Sequence[str] = (),
        insensitive: Sequence[str] = (),
        hierarchies: Mapping[str, Any] | str = SUGGEST,
        suppression_limit: float = 0.05,
        recoding: RecodingMethod | str | None = None,
        keep_index: bool = False,
    ) -> None:
        if BaseEstimator is object:
            need("sklearn", type(self).__name__, "stats")
        self.k = k
        self.models = models
        self.quasi_identifying = quasi_identifying
        self.sensitive = sensitive
        self.insensitive = insensitive
        self.hierarchies = hierarchies
        self.suppression_limit = suppression_limit
        self.recoding = recoding
        self.keep_index = keep_index

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  scikit-learn's name
        """Make the release of X; y is ignored."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: N803  scikit-learn's name
        """Return X anonymized; y is ignored.

        Parameters
        ----------
        X : DataFrame of any library, or array of shape (n_samples, n_features)

        Raises
        ------
        ValueError
            X cannot be anonymized so.
        """
        is_table = is_frame(X)
        try:
            frame = self._read(X, reset=True)
            names = frame.table.names
            others = {*self.sensitive, *self.insensitive}
            own = self.quasi_identifying
            self.released_: Released = anonymize(
                frame,
                [name for name in names if name not in others] if own is None else own,
                self.sensitive,
                self.insensitive,
                models=(KAnonymity(self.k), *self.models),
                hierarchies=self.hierarchies,
                suppression_limit=self.suppression_limit,
                recoding=self.recoding,
                keep_index=self.keep_index,
            )
        except AnonymizerError as error:
            raise ValueError(str(error)) from error
        found = self.released_.frame
        return found if is_table else found.to_numpy(dtype=object)

    def _read(self, X: Any, *, reset: bool) -> Frame:  # noqa: N803  scikit-learn's name
        """Return X as a frame; its columns become those of the estimator, or have to be them."""
        if is_frame(X):
            frame = frame_of(X)
            names = _frame([], frame.table.names)  # takes names of every library
            validate_data(self, names, skip_check_array=True, reset=reset)
            return frame
        least = 2 if reset else 1
        X = validate_data(  # noqa: N806
            self, X, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=least, reset=reset
        )
        return frame_of(_frame(X, [f"x{number}" for number in range(X.shape[1])]))

    def __getstate__(self) -> dict[str, Any]:
        """Return what is stored: the settings, not the release, which contains the original table."""
        return {name: value for name, value in super().__getstate__().items() if name != "released_"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags = None
        return tags


class LevelTransformer(OneToOneFeatureMixin, TransformerMixin, KAnonymizer):  # type: ignore[misc]
    """Learn the levels of a release, and recode any records to the labels on these levels.

    Recoded records promise nothing: their classes are not counted, none is suppressed, and nothing is
    verified. To release records, use `KAnonymizer` or `engine.anonymize`. This is a step of a pipeline for
    models that are to see labels instead of values. A value that was not learned becomes `*`.

    Parameters
    ----------
    k, models, quasi_identifying, sensitive, insensitive, hierarchies, suppression_limit, keep_index
        As in `KAnonymizer`; `recoding` must be None.

    Attributes
    ----------
    levels_ : dict of str to int
        Level of every quasi-identifying column.
    hierarchies_ : dict of str to Hierarchy
        They are stored with the transformer, and contain the learned values, but no record.
    """

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  scikit-learn's name
        """Learn the levels of the optimum for X; y is ignored."""
        if self.recoding is not None:
            raise ValueError(_("Levels that vary by record cannot be learned."))
        KAnonymizer.fit_transform(self, X, y)
        problem = self.released_.outcome.problem
        self.levels_ = dict(self.released_.node or {})
        self.hierarchies_ = {own.name: own.hierarchy for own in problem.attributes}
        del self.released_
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803  scikit-learn's name
        """Return the records of X with the labels of the learned levels; identifying columns become `*`."""
        check_is_fitted(self, "levels_")
        frame, own = self._read(X, reset=False), {*self.sensitive, *self.insensitive}
        records = np.arange(frame.table.n_records)
        columns: dict[str, Cells] = {}
        for column in frame.table.columns:
            if column.name in own:
                columns[column.name] = records
                continue
            labels = ("*",) * len(column.labels)
            if column.name in self.levels_:
                known, level = self.hierarchies_[column.name], self.levels_[column.name]
                labels = tuple(known.label(v, level) if v in known.index else "*" for v in column.labels)
            distinct = {label: code for code, label in enumerate(dict.fromkeys(labels))}
            codes = np.array([distinct[label] for label in labels], dtype=np.int32)
            columns[column.name] = Texts(tuple(distinct), codes[column.codes])
        found = frame.released(columns, records if self.keep_index else None)
        return found if is_frame(X) else found.to_numpy(dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags


def _frame(array: Any, names: Sequence[str]) -> Any:
    """Return an array as a DataFrame with the types of its values."""
    import pandas as pd

    frame = pd.DataFrame(array, columns=list(names))
    return frame.infer_objects() if np.asarray(array).dtype == object else frame
