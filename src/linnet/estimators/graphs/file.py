"""Models of graphs to model files and back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.data import Vocabulary
from linnet.estimators.graphs.packing import Template, Templates
from linnet.persistence import ModelFile, StoredStrings, pack, pack_strings

if TYPE_CHECKING:
    from linnet.estimators.graphs.model import GraphModel


def graph_parts(model: GraphModel) -> tuple[dict[str, Any], parts.Tensors]:
    """Settings, templates with the values of their variables, and weights."""
    tensors: parts.Tensors = {}
    templates = []
    for number, template in enumerate(model.templates_.by_name.values()):
        tensors[f"weights.{number}"] = model.model_[template.name].ravel()
        if template.vocabulary is not None:
            tensors |= pack_strings(f"features.{number}", template.vocabulary.names)
        templates.append(
            {
                "name": template.name,
                "domains": pack([list(d) for d in template.domains], f"domains.{number}", tensors),
                "conditional": template.conditional,
                "features": template.features,
                "named": template.vocabulary is not None,
            }
        )
    spec: dict[str, Any] = {
        "kind": "graph model",
        "params": parts.pack_params(model, tensors),
        "templates": templates,
        "record": parts.pack_record(model.record_, tensors),
        "epochs": model.n_iter_,
    }
    return spec, tensors


def load_graph_model(file: ModelFile) -> GraphModel:
    """The model in a file, checked."""
    from linnet.estimators.graphs.model import GraphModel

    model = parts.unpack_params(file, GraphModel)
    try:
        model._loopy()
    except (TypeError, ValueError) as e:
        raise file.error(f"its settings make no sense: {e}") from None
    entries = file.spec.get("templates")
    if not isinstance(entries, list) or not entries:
        raise file.error("it has no templates")
    templates, weights = [], {}
    for number, entry in enumerate(entries):
        template = _template(file, entry, number)
        w = file.tensor(f"weights.{number}", "f")
        shape = (template.features + 1, *template.shape)
        if w.size != math.prod(shape) or np.isnan(w).any():
            raise file.error(f"the weights of template {template.name!r:.40} do not fit")
        templates.append(template)
        weights[template.name] = w.astype(np.float64).reshape(shape)
    if len(weights) < len(templates):
        raise file.error("two templates have the same name")
    model.templates_, model.model_ = Templates(templates), weights
    model.record_ = parts.unpack_record(file)
    model.n_iter_ = parts.whole(file, file.spec, "epochs")
    return model


def _template(file: ModelFile, entry: Any, number: int) -> Template:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise file.error("a template has no name")
    domains = file.unpack(entry.get("domains"))
    plain = isinstance(domains, list) and all(isinstance(d, list) and d for d in domains)
    try:
        values = tuple(map(tuple, domains)) if plain else ()
        fits = bool(values) and all(len(set(d)) == len(d) for d in values)
    except TypeError:
        fits = False
    if not fits:
        raise file.error(f"the values of template {entry['name']!r:.40} make no sense")
    features = parts.whole(file, entry, "features")
    vocabulary = None
    if entry.get("named"):
        names = StoredStrings(file, f"features.{number}").decode()
        vocabulary = Vocabulary(names)
        if len(vocabulary) != features:
            raise file.error(f"template {entry['name']!r:.40} has not as many names as features")
    return Template(entry["name"], values, bool(entry.get("conditional")), features, vocabulary)
