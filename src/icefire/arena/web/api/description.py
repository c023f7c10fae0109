"""The OpenAPI description of the API, in which records have the names that clients know."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

NAMES = {
    "AttackFacts": "Found",
    "ContestHere": "Contest",
    "MatrixCell": "Cell",
    "MatrixHere": "Matrix",
    "OwnGuess": "Guess",
    "QuotaNow": "Quota",
    "Refusal": "Problem",
    "ReleaseFacts": "Release",
    "RoundBoard": "Board",
    "RoundHere": "Round",
    "TeamFacts": "Team",
}
"""Classes whose records are called otherwise in the description; the description stays when a class is renamed."""
_SCHEMAS = "#/components/schemas/"


def use_public_names(app: FastAPI) -> None:
    """Have the application describe its records by their public names, each with exactly the fields it has."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = _with_public_names(generate())
            records = schema["components"]["schemas"]
            schema["components"]["schemas"] = dict(sorted(map(_record, records.items())))
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _with_public_names(schema: Any) -> Any:
    """Return the description with every reference to a record renamed."""
    if isinstance(schema, dict):
        return {key: _reference(one) if key == "$ref" else _with_public_names(one) for key, one in schema.items()}
    return [_with_public_names(one) for one in schema] if isinstance(schema, list) else schema


def _reference(address: str) -> str:
    name = address.removeprefix(_SCHEMAS)
    return _SCHEMAS + NAMES.get(name, name)


def _record(item: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Return a record under its public name; none has fields that the description does not tell."""
    name, schema = item
    closed = {} if name.startswith("Body_") else {"additionalProperties": False}
    return NAMES.get(name, name), {**schema, **closed, "title": NAMES.get(name, schema["title"])}
