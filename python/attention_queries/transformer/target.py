"""Transformers in target files.

The object is `{"model": "transformer", "semantics": …, "W": [[…]], "ffn": {"hidden": [{"a": …, "w": […], "c": …}],
"linear": […], "constant": …}}`, with a matrix `"V"` between attention and network if wanted.
"""

from __future__ import annotations

import json
from typing import Any

from attention_queries import semantics as semantics_module
from attention_queries.errors import InputError
from attention_queries.jsonobjects import check_keys
from attention_queries.semantics.base import Semantics
from attention_queries.semantics.rational import format_rational
from attention_queries.transformer.model import Transformer
from attention_queries.transformer.network import Neuron, ReluNetwork

NAME = "transformer"


def transformer_from_json(data: dict[str, Any]) -> Transformer[Any, Any]:
    """The transformer of a target file's JSON object; raises `InputError`."""
    check_keys(data, {"model", "semantics", "W", "ffn"}, {"V"})
    semantics = semantics_module.get(data["semantics"])
    network = _network(data["ffn"], semantics)
    V = _rows(data["V"], "V") if "V" in data else None
    return Transformer(semantics, _rows(data["W"], "W"), network, V)


def _rows(data: Any, name: str) -> list[list[Any]]:
    if not isinstance(data, list) or not all(isinstance(row, list) for row in data):
        raise InputError(f"{name} is a list of rows of numbers")
    return data


def _network(data: Any, semantics: Semantics[Any, Any]) -> ReluNetwork:
    if not isinstance(data, dict):
        raise InputError("ffn is a JSON object")
    try:
        check_keys(data, {"hidden", "linear", "constant"})
        if not isinstance(data["hidden"], list):
            raise InputError("hidden is a list of neurons")
        if not isinstance(data["linear"], list):
            raise InputError("linear is a list of numbers")
        hidden = [_neuron(neuron, f"hidden[{j}]") for j, neuron in enumerate(data["hidden"])]
        return ReluNetwork(hidden, data["linear"], data["constant"], exact=semantics.exact)
    except InputError as error:
        raise InputError(f"ffn: {error}") from None


def _neuron(data: Any, place: str) -> Neuron:
    if not isinstance(data, dict):
        raise InputError(f"{place}: a neuron is a JSON object")
    try:
        check_keys(data, {"a", "w", "c"})
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    if not isinstance(data["w"], list):
        raise InputError(f"{place}.w is a list of numbers")
    return Neuron(data["a"], tuple(data["w"]), data["c"])


def transformer_to_json(model: Transformer[Any, Any]) -> dict[str, Any]:
    """A transformer as the JSON object of a target file."""
    network = model.network
    number = format_rational if network.exact else float
    hidden = [{"a": number(n.a), "w": list(map(number, n.w)), "c": number(n.c)} for n in network.hidden]
    V = model.values_matrix
    return {
        "model": NAME,
        "semantics": model.semantics.name,
        "W": [list(map(model.semantics.format_scalar, row)) for row in model.W],
        **({} if V is None else {"V": [list(map(number, row)) for row in V]}),
        "ffn": {
            "hidden": hidden,
            "linear": list(map(number, network.linear)),
            "constant": number(network.constant),
        },
    }


def transformer_text(model: Transformer[Any, Any]) -> str:
    """The text of a target file: JSON with one row of numbers, or one neuron, a line."""
    data = transformer_to_json(model)
    matrices = [f' "{key}": [{_lines(data[key])}],\n' for key in ("W", "V") if key in data]
    ffn = data["ffn"]
    return (
        f'{{"model": "{NAME}", "semantics": "{data["semantics"]}",\n{"".join(matrices)} "ffn": {{\n'
        f'  "hidden": [{_lines(ffn["hidden"])}],\n'
        f'  "linear": {json.dumps(ffn["linear"])},\n  "constant": {json.dumps(ffn["constant"])}}}}}\n'
    )


def _lines(items: list[Any]) -> str:
    return ",".join(f"\n   {json.dumps(item)}" for item in items)
