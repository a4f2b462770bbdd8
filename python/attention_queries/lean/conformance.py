"""Conformance files: cases that Python computed and Lean's kernel checks with the library's own definitions.

Below `lean/AttentionQueries/Conformance`, `Values.lean` holds values of models on sequences, `Learner.lean` whole runs
of the single-head learner, `Fibre.lean` decisions whether two models are equal, all in the base-2 semantics, and
`Symbolic.lean` some values and runs in the exp semantics. They are generated, the same every time, by
`attnq crosscheck --write`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from flint import fmpq, fmpz

from attention_queries.files import write_atomically
from attention_queries.lean.cases import (
    IntHead,
    IntModel,
    LearnerRun,
    SymbolicCase,
    SymbolicModel,
    ValueCase,
    learner_runs,
    rejected_models,
    symbolic_cases,
    symbolic_learner_models,
    value_sections,
)
from attention_queries.lean.fibre_cases import FibreCase, fibre_cases
from attention_queries.lean.noise_cases import (
    BitsRun,
    ColumnCase,
    NoisyRun,
    WeightCase,
    bits_runs,
    column_cases,
    noisy_runs,
    weight_cases,
)
from attention_queries.lean.sources import Sources
from attention_queries.learners.noisy.certification import Experiment, Weight
from attention_queries.learners.noisy.interval import Interval
from attention_queries.semantics.expfraction import ExpFraction
from attention_queries.semantics.expsum import ExpSum
from attention_queries.sequences import Query

COMMAND = "attnq crosscheck --write"
FOLDER = "AttentionQueries/Conformance"

_VALUES = """\
Each line `Value d heads runs answer` says that Lean's value of the sum of these heads on the sequence of these runs is
the one that Python computed. A head is `⟨rows of W, v⟩`, a run `(token, copies)`, a rational number
`(numerator, denominator)`."""

_LEARNER = """\
Each `Learns d head outcome transcript` says that the Lean learner, asking this head, ends with the outcome that the
Python learner found, after the same queries and answers (in the order of the Lean program); each `Rejects d heads`
that it finds, as Python did, that a sum of two heads is not a single head. A head is `⟨rows of W, v⟩`, a query a list
of runs `(token, copies)`, a rational number `(numerator, denominator)`."""

_FIBRE = """\
`Same d a b form` says that Lean, like Python, finds the two sums of heads equal as functions, with this normal form;
`Differ d a b runs r s` that it finds them different, with the values `r` and `s` on the sequence of these runs,
Python's witness. A head is `⟨rows of W, v⟩`, a run `(token, copies)`, a rational number `(numerator, denominator)`."""

_NOISE = """\
`Weighs ⟨(k, m, n), direction, τ, value, slope, answer⟩ low high` says that Lean finds the bounds for a weight from an
experiment that Python found, and `Contradicts` that it finds, too, that no head gives this answer;
`Combines d τ values p j experiments weights` that it finds the same bounds for column `j` of the score matrix.
`LearnsNoisy d τ rounds schedule transcript W v` says that Lean's learner from noisy answers asks the same queries and
reports the same intervals, `LearnsBits d threshold bound head found queries` that its learner from one-bit answers ends
with the same outcome after as many queries. A head is `⟨rows of W, v⟩`, a query a list of runs `(token, copies)`, a
rational number `(numerator, denominator)`."""

_SYMBOLIC = """\
`SymbolicValue d heads runs num den` says that Lean's value of the sum of these heads on the sequence of these runs is
the quotient of exponential sums that Python computed, each sum a list of terms `(c, q)` for `c t ^ q`;
`SymbolicLearns d head found` says that the Lean learner, asking this head, returns the head that the Python learner
found. A head is `⟨rows of W, v⟩`, a run `(token, copies)`, a rational number `(numerator, denominator)`."""


def _list(parts: Iterable[str]) -> str:
    return f"[{', '.join(parts)}]"


def _integers(entries: Iterable[int]) -> str:
    return _list(str(fmpz(x)) for x in entries)


def _rational(x: fmpq) -> str:
    return f"({x.p}, {x.q})"


def head_data(head: IntHead) -> str:
    """A head as Lean data: `⟨rows of W, entries of v⟩`."""
    return f"⟨{_list(map(_integers, head.W))}, {_list(map(_rational, head.v))}⟩"


def query_data(query: Query[int]) -> str:
    """A sequence as Lean data: its runs `(token, copies)`."""
    return _list(f"({_integers(token)}, {copies})" for token, copies in query.runs)


def model_data(model: IntModel) -> str:
    """A sum of heads as Lean data, after its dimension."""
    return f"{model.dim} {_list(map(head_data, model.heads))}"


def _rationals(entries: Iterable[fmpq]) -> str:
    return _list(map(_rational, entries))


def _symbolic_heads(model: SymbolicModel) -> list[str]:
    return [f"⟨{_list(map(_rationals, head.W))}, {_rationals(_as_rationals(head.v))}⟩" for head in model.heads]


def _as_rationals(values: Iterable[ExpFraction]) -> Iterator[fmpq]:
    for x in values:
        rational = x.as_rational()
        assert rational is not None, "the value vectors of the cases are rational"
        yield rational


def _terms(total: ExpSum) -> str:
    return _list(f"({_rational(c)}, {_rational(q)})" for q, c in total.sorted_terms())


def _symbolic_line(case: SymbolicCase) -> str:
    runs = _list(f"({_rationals(token)}, {copies})" for token, copies in case.query.runs)
    value = case.value
    data = f"{case.model.dim} {_list(_symbolic_heads(case.model))} {runs}"
    return f"example : SymbolicValue {data} {_terms(value.numerator)} {_terms(value.denominator)} := by decide +kernel"


def _symbolic_learner_line(model: SymbolicModel, found: SymbolicModel) -> str:
    (asked,), (learned,) = _symbolic_heads(model), _symbolic_heads(found)
    return f"example : SymbolicLearns {model.dim} {asked} {learned} := by decide +kernel"


def _value_line(case: ValueCase) -> str:
    data = f"{model_data(case.model)} {query_data(case.query)} {_rational(case.value)}"
    return f"example : Value {data} := by decide +kernel"


def _learner_text(run: LearnerRun) -> str:
    d = run.model.dim
    outcome = f"(found {d} {head_data(run.found)})" if run.found is not None else ".zero"
    start = f"example : Learns {d} {head_data(run.model.heads[0])} {outcome} ["
    lines = [f"    ({query_data(entry.query)}, {_rational(entry.answer)})" for entry in run.entries]
    return start + "\n" + ",\n".join(lines) + "] := by decide +kernel"


def _fibre_text(case: FibreCase) -> str:
    a, b = (_list(map(head_data, model.heads)) for model in (case.a, case.b))
    witness, values = case.comparison.witness, case.comparison.values
    if witness is None or values is None:
        start, end = "Same", _list(map(head_data, case.form.heads))
    else:
        start, end = "Differ", f"{query_data(witness)} {_rational(values[0])} {_rational(values[1])}"
    return f"example : {start} {case.a.dim}\n    {a}\n    {b}\n    {end} := by decide +kernel"


def _experiment(e: Experiment) -> str:
    return f"({e.k}, {e.m}, {e.n})"


def _optional(text: str | None) -> str:
    return "none" if text is None else f"(some {text})"


def _bounds(weight: Weight) -> tuple[str, str]:
    return _rational(weight.low), _optional(None if weight.high is None else _rational(weight.high))


def _weight_line(case: WeightCase) -> str:
    known = ", ".join(map(_rational, (case.tolerance, case.value, case.slope, case.answer)))
    data = f"⟨{_experiment(case.experiment)}, .{case.kind.name.lower()}, {known}⟩"
    if case.weight.empty:
        return f"example : Contradicts {data} := by decide +kernel"
    return f"example : Weighs {data} {' '.join(_bounds(case.weight))} := by decide +kernel"


def _column_text(case: ColumnCase) -> str:
    experiments = (_list(f"({_experiment(e)}, {_rational(f)})" for e, f in done) for done in case.experiments)
    weights = _list(f"({', '.join(_bounds(weight))})" for weight in case.weights)
    known = f"{_rational(case.tolerance)} {_rationals(case.values)} {case.directions.pivot} {case.j}"
    lines = [f"example : Combines {len(case.values)} {known}", _list(experiments), weights]
    return "\n    ".join(lines) + " := by decide +kernel"


def _integer_bounds(bounds: Interval | None) -> str:
    return _optional(None if bounds is None else f"({bounds.low}, {bounds.high})")


def _noisy_text(run: NoisyRun) -> str:
    schedule = _list(_list(_list(f"({k}, {m})" for k, m in cell) for cell in row) for row in run.schedule)
    entries = ",\n".join(f"    ({query_data(entry.query)}, {_rational(entry.answer)})" for entry in run.entries)
    W = _list(_list(map(_integer_bounds, row)) for row in run.result.W_intervals)
    v = _list(f"({_rational(b.low)}, {_rational(b.high)})" for b in run.result.v_intervals if b is not None)
    start = f"example : LearnsNoisy {run.model.dim} {_rational(run.tolerance)} {run.rounds} {schedule} ["
    return f"{start}\n{entries}]\n    {W}\n    {v} := by decide +kernel"


def _bits_line(run: BitsRun) -> str:
    size, negative = abs(run.threshold), "true" if run.threshold < 0 else "false"
    threshold = f"⟨{size.p}, {size.q}, {negative}, by decide, by decide⟩"
    found = None
    if run.found is not None:
        found = f"({_list(map(_integers, run.found.W))}, {_integers(int(x.p) for x in run.found.v)})"
    data = f"{run.model.dim} {threshold} {run.bound} {head_data(run.model.heads[0])} {_optional(found)} {run.queries}"
    return f"example : LearnsBits {data} := by decide +kernel"


def _file_text(definitions: str, title: str, explanation: str, sections: Iterable[tuple[str, Sequence[str]]]) -> str:
    parts = [
        f"import AttentionQueries.Conformance.{definitions}",
        f"/-! # {title}\n\nGenerated from Python's own computation by `{COMMAND}`; do not edit.\n\n{explanation} -/",
        "namespace AttentionQueries.Conformance",
    ]
    for heading, lines in sections:
        parts += [f"/-! ## {heading} -/", "\n".join(lines)]
    return "\n\n".join([*parts, "end AttentionQueries.Conformance\n"])


def values_file() -> str:
    """The text of `Values.lean`."""
    sections = [(title, [_value_line(case) for case in cases]) for title, cases in value_sections()]
    return _file_text("Case", "Conformance: values of models", _VALUES, sections)


def learner_file() -> str:
    """The text of `Learner.lean`."""
    runs = [_learner_text(run) for run in learner_runs()]
    rejected = [f"example : Rejects {model_data(model)} := by decide +kernel" for model in rejected_models()]
    sections = [("One head", runs), ("Not one head", rejected)]
    return _file_text("Case", "Conformance: runs of the single-head learner", _LEARNER, sections)


def fibre_file() -> str:
    """The text of `Fibre.lean`."""
    cases = list(fibre_cases())
    same = [_fibre_text(case) for case in cases if case.comparison]
    different = [_fibre_text(case) for case in cases if not case.comparison]
    sections = [("Equal functions", same), ("Different functions", different)]
    return _file_text("FibreCase", "Conformance: equality of models", _FIBRE, sections)


def noise_file() -> str:
    """The text of `Noise.lean`."""
    sections = [
        ("One experiment", list(map(_weight_line, weight_cases()))),
        ("Several directions", list(map(_column_text, column_cases()))),
        ("The learner from noisy answers", list(map(_noisy_text, noisy_runs()))),
        ("The learner from one-bit answers", list(map(_bits_line, bits_runs()))),
    ]
    return _file_text("NoiseCase", "Conformance: noisy and one-bit answers", _NOISE, sections)


def symbolic_file() -> str:
    """The text of `Symbolic.lean`."""
    values = [_symbolic_line(case) for case in symbolic_cases()]
    learned = [_symbolic_learner_line(model, found) for model, found in symbolic_learner_models()]
    sections = [("Values", values), ("The learner", learned)]
    return _file_text("SymbolicCase", "Conformance: the symbolic exponential", _SYMBOLIC, sections)


def conformance_files() -> dict[str, str]:
    """The generated files by path below the folder `lean`."""
    return {
        f"{FOLDER}/Values.lean": values_file(),
        f"{FOLDER}/Learner.lean": learner_file(),
        f"{FOLDER}/Fibre.lean": fibre_file(),
        f"{FOLDER}/Noise.lean": noise_file(),
        f"{FOLDER}/Symbolic.lean": symbolic_file(),
    }


def stale_files(sources: Sources) -> list[str]:
    """The generated files that are missing or differ from what would be generated now."""
    stale = []
    for name, text in conformance_files().items():
        file = sources.lean / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            stale.append(sources.shown(file))
    return stale


def write_files(sources: Sources) -> list[str]:
    """Write the generated files that are stale; gives their names."""
    stale = stale_files(sources)
    for name, text in conformance_files().items():
        if sources.shown(sources.lean / name) in stale:
            write_atomically(sources.lean / name, text)
    return stale
