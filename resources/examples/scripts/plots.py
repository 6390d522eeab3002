"""The drawings of a release as files, for a talk or a wiki; a notebook shows them by itself."""

from pathlib import Path

from engine import apply, risk

clinic = Path(__file__).parents[1] / "clinic"
released = apply(clinic / "recipe.toml", clinic / "clinic.csv")
for kind in ("lattice", "prices", "risk"):
    print(released.plot(kind).save(f"{kind}.svg"))
print(released.plot("distributions", ["age", "sex"]).save("age-and-sex.svg"))
print(risk(released.frame, ["age", "sex"]).plot().save("table.svg"))
