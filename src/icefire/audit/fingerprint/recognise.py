"""Probabilities and evidence of every method, from the figures of a release."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from icefire.audit.fingerprint.class_signs import varying_class_figures
from icefire.audit.fingerprint.methods import METHODS, RecognisedMethod
from icefire.audit.fingerprint.pairs import TablePair
from icefire.audit.fingerprint.result import RECOGNISED, MethodProbability, Trace
from icefire.audit.fingerprint.signs import Sign
from icefire.audit.fingerprint.trees import FingerprintModel
from icefire.audit.fingerprint.words import sentence
from icefire.core.formatting import percent
from icefire.kernels.types import Float

RESAMPLED = "resampled.all.mean"
DRAWN_ANEW, DRAWN_MOST = (0.5, 1.6), 3.5
COARSER = ("round_values", "top_code", "synthesize")
ALONE = 0.02
CONSTANT_QI = "constant.qi.most"
POSSIBLE, PLAIN = 0.1, 0.9
"""A method that is possible and left a trace that hardly anything else leaves has the second probability."""
UNCHANGED = 0.001
"""Probability of a method that left every row as it was."""
LEAST = 0.0005
"""Traces never make a method impossible or certain."""
MOST_TRACES = 3
LEAST_WEIGHT = 0.05
"""TraceFigures that moved the log odds less are not worth naming."""


def recognise(signs: Mapping[str, Sign], model: FingerprintModel) -> list[MethodProbability]:
    """Return every method with its probability and evidence, the likeliest first."""
    figures = np.array([signs[name].value for name in model.features])
    answers = {method.name: _answer(method, figures, signs, model) for method in METHODS}
    unify = answers["unify"]
    doubtful = POSSIBLE <= unify.probability < RECOGNISED and not answers["k_anonymize"].recognised
    if signs[CONSTANT_QI].value == 1.0 and doubtful:
        answers["unify"] = _constant(unify, signs[CONSTANT_QI])
    if not any(answer.recognised for answer in answers.values()) and _drawn_anew(signs):
        answers["synthesize"] = _synthetic(answers["synthesize"], signs[RESAMPLED].value)
    return sorted(answers.values(), key=lambda answer: -answer.probability)


def _drawn_anew(signs: Mapping[str, Sign]) -> bool:
    """Tell whether all columns hold old values only, in frequencies that differ as much as if drawn anew."""
    kept, changed, rows = signs["kept.all.least"].value, signs["excess.amounts.least"].value, signs["rows"].value
    usual = DRAWN_ANEW[0] < signs[RESAMPLED].value < DRAWN_ANEW[1] and signs["resampled.all.most"].value < DRAWN_MOST
    return kept == 1.0 and rows == 1.0 and changed > 0.0 and usual and signs["unchanged_rows"].value < 0.5


def _synthetic(answer: MethodProbability, resampled: float) -> MethodProbability:
    text = (
        "no column holds a new value, and their frequencies changed as much as if all had been drawn anew "
        f"({resampled:.2f} times as much on average)"
    )
    trace = Trace(RESAMPLED, text, round(resampled, 6), 1.0)
    return msgspec.structs.replace(answer, probability=PLAIN, recognised=True, evidence=[trace])


def _constant(answer: MethodProbability, sign: Sign) -> MethodProbability:
    """Raise the probability of `unify`: hardly anything else makes a whole quasi-identifier one value."""
    weight = math.log(PLAIN / (1 - PLAIN)) - math.log(answer.probability / (1 - answer.probability))
    text = f"quasi-identifier {sign.column!r} holds one value in every row"
    trace = Trace(CONSTANT_QI, text, 1.0, round(weight, 3), sign.column)
    return msgspec.structs.replace(answer, probability=PLAIN, recognised=True, evidence=[trace])


def with_plain_classes(answers: Sequence[MethodProbability], pair: TablePair) -> list[MethodProbability]:
    """Raise the probability of `k_anonymize` where nobody is alone any more and nothing else explains it.

    Rows left out, blank cells, and numbers rounded or cut off may also end in classes of two or more.
    """
    blank = any((column.y < 0).sum() > (column.x < 0).sum() for column in pair.qi)
    coarser = any(answer.recognised for answer in answers if answer.method in COARSER)
    figures = varying_class_figures(pair)
    plain = figures["smallest"] >= 2 and figures["alone_before"] >= ALONE
    if blank or coarser or not plain or pair.released != pair.originals:
        return list(answers)
    text = (
        f"every combination of quasi-identifiers occurs {figures['smallest']:.0f} times or more; in the original "
        f"{percent(figures['alone_before'])} of the rows were alone with theirs"
    )
    trace = Trace("smallest_class", text, figures["smallest"], 1.0)
    raised = [
        msgspec.structs.replace(answer, probability=PLAIN, recognised=True, evidence=[trace])
        if answer.method == "k_anonymize" and not answer.recognised
        else answer
        for answer in answers
    ]
    return sorted(raised, key=lambda answer: -answer.probability)


def nothing_recognised() -> list[MethodProbability]:
    """Return every method as not recognised: the release holds exactly the rows of the original."""
    trace = Trace("unchanged_rows", "the release holds exactly the rows of the original", 1.0, -1.0)
    return [
        MethodProbability(method.name, method.traces, list(method.covers), UNCHANGED, False, [trace])
        for method in METHODS
    ]


def _answer(
    method: RecognisedMethod, figures: Float, signs: Mapping[str, Sign], model: FingerprintModel
) -> MethodProbability:
    trees = model.methods[method.name]
    probability = round(1.0 / (1.0 + math.exp(-trees.log_odds(figures))), 4)
    probability = min(max(probability, LEAST), 1.0 - LEAST)
    recognised = probability >= RECOGNISED
    return MethodProbability(
        method.name,
        method.traces,
        list(method.covers),
        probability,
        recognised,
        _evidence(trees.contributions(figures), signs, model, recognised),
    )


def _evidence(added: Float, signs: Mapping[str, Sign], model: FingerprintModel, recognised: bool) -> list[Trace]:
    """Return the figures that spoke most for the answer: for the method, or against it."""
    order = np.argsort(-added if recognised else added, kind="stable")
    traces: list[Trace] = []
    for place in order:
        weight, name = float(added[place]), model.features[place]
        if abs(weight) < LEAST_WEIGHT or (weight > 0) != recognised or len(traces) == MOST_TRACES:
            break
        sign = signs[name]
        if any(trace.figure.split(".")[0] == name.split(".")[0] for trace in traces):
            continue
        value = None if math.isnan(sign.value) else round(sign.value, 6)
        traces.append(Trace(name, sentence(name, sign), value, round(weight, 3), sign.column))
    return traces
