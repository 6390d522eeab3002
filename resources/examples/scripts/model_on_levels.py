"""A model of scikit-learn that sees labels instead of values, for rows that it has not seen."""

from pathlib import Path

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from engine import LevelTransformer

adult = pd.read_csv(Path(__file__).parents[1] / "adult" / "adult.csv", sep=";").head(3000)
known = ["age", "education", "occupation", "sex"]
seen, unseen, wanted, truth = train_test_split(adult[known], adult["salary-class"], random_state=0)
levels = LevelTransformer(k=10, suppression_limit=0.05)
model = make_pipeline(levels, OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=1000))
model.fit(seen, wanted)
print("levels", levels.levels_)
print("accuracy", round(model.score(unseen, truth), 2))
