"""One-layer transformers: values, learners, target files, equality, and the command line."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_queries import (
    AttentionModel,
    Base2,
    CallableOracle,
    ExpField,
    Float,
    Head,
    InputError,
    ModelOracle,
    NotIdentifiable,
    Query,
    load_target,
    save_target,
)
from attention_queries.cli import main
from attention_queries.errors import NotATransformer, SearchExhausted
from attention_queries.files import target_from_json, target_to_json
from attention_queries.generate import random_target, random_transformer
from attention_queries.learners.automatic import learn_automatically
from attention_queries.learners.ffn import NetworkOracle, learn_ffn
from attention_queries.learners.transformer import (
    learn_by_negation,
    learn_transformer,
    learn_transformer_by_negation,
)
from attention_queries.learners.transformer.recognise import nonlinear_on_single_tokens
from attention_queries.reproduce import transformer as reproduce
from attention_queries.reproduce.row import Context
from attention_queries.semantics.sign import sign
from attention_queries.sequences import QueryBatch
from attention_queries.transformer import ReluNetwork, Transformer
from attention_queries.transformer.equality import equal, same_function
from attention_queries.transformer.readout import query_at
from strategies import EXACT, SEMANTICS, queries, rationals, scalars, vectors

exact_names = pytest.mark.parametrize("name", list(EXACT))


@st.composite
def transformers(draw: Any, name: str, max_dim: int = 3, max_hidden: int = 3) -> Transformer:
    d = draw(st.integers(1, max_dim))
    W = draw(vectors(vectors(st.integers(-2, 2), d), d))
    hidden = draw(st.lists(st.tuples(rationals, vectors(rationals, d), rationals), max_size=max_hidden))
    return Transformer(SEMANTICS[name], W, ReluNetwork(hidden, draw(vectors(rationals, d)), draw(rationals)))


def value_by_definition(model: Transformer, query: Query) -> Any:
    s = model.semantics
    tokens = [token for token, copies in query.runs for _ in range(copies)]
    Wq = [sum((a * b for a, b in zip(row, query.token, strict=True)), s.scalar(0)) for row in model.W]
    weights = [s.exp(sum((a * b for a, b in zip(x, Wq, strict=True)), s.scalar(0))) for x in tokens]
    total = sum(weights, s.value(0))
    z = [
        sum((w * s.cast(s.scalar(x[i])) for w, x in zip(weights, tokens, strict=True)), s.value(0)) / total
        for i in range(model.dim)
    ]
    if model.values_matrix is not None:
        z = [sum((a * b for a, b in zip(row, z, strict=True)), s.value(0)) for row in model.values_matrix]
    g = model.network
    answer = s.value(0) + g.constant + sum((a * b for a, b in zip(g.linear, z, strict=True)), s.value(0))
    for n in g.hidden:
        x = sum((a * b for a, b in zip(n.w, z, strict=True)), s.value(0)) + n.c
        answer = answer + (n.a * x if sign(x) > 0 else 0)
    return answer


@exact_names
@given(st.data())
def test_values_are_those_of_the_definition(name: str, data: Any) -> None:
    model = data.draw(transformers(name))
    if data.draw(st.booleans()):
        V = data.draw(st.lists(vectors(rationals, 2), min_size=model.dim, max_size=model.dim))
        W = data.draw(vectors(vectors(scalars(name), 2), 2))
        model = Transformer(model.semantics, W, model.network, V)
    asked = data.draw(st.lists(queries(name, model.dim), min_size=1, max_size=4))
    answers = model.values(QueryBatch.of(asked))
    for query, answer in zip(asked, answers, strict=True):
        assert answer == model.value(query) == value_by_definition(model, query) == model.canonical().value(query)


@exact_names
@given(st.data())
def test_every_rational_point_can_be_asked(name: str, data: Any) -> None:
    model = data.draw(transformers(name))
    z = data.draw(vectors(rationals, model.dim))
    assert model.value(query_at(z, model.semantics)) == model.network.value(z)


@exact_names
@settings(max_examples=40)
@given(st.data())
def test_recovers_random_transformers_exactly(name: str, data: Any) -> None:
    model = data.draw(transformers(name).filter(lambda model: not model.network.is_constant))
    learned = learn_transformer(ModelOracle(model), seed=data.draw(st.integers(0, 9)))
    assert learned.model == model.canonical()
    assert learned.verification.queries == 8


def tent(w: list[int], c: int) -> list[Any]:
    return [(1, w, c + 1), (-2, w, c), (1, w, c - 1)]


DIFFICULT = {
    "dead directions": ReluNetwork([(1, [1, 0, 0], 0)], [0, 0, 0]),
    "flat on one side": ReluNetwork([(1, [1, 1, 2], -40)], [0, 0, 0]),
    "tent": ReluNetwork(tent([1, -1, 2], 3), [0, 0, 0]),
    "two tents": ReluNetwork([*tent([1, -1, 2], 3), *tent([0, 1, 1], -2)], [0, 0, 0]),
    "sharp tent": ReluNetwork(tent([9, 0, 0], 4), [0, 0, 0]),
    "absolute value": ReluNetwork([(1, [1, 2, 3], 0), (1, [-1, -2, -3], 0)], [0, 0, 0]),
    "linear": ReluNetwork([], [0, 3, 0], 0),
    "affine": ReluNetwork([], [1, 0, 0], 5),
    "constant sign": ReluNetwork([(-1, [2, 2, 1], 1000)], [0, 0, 0], 7),
}


@exact_names
@pytest.mark.parametrize("words", DIFFICULT)
def test_difficult_networks(words: str, name: str) -> None:
    model = Transformer(SEMANTICS[name], [[1, -2, 0], [0, 2, 1], [-1, 1, 1]], DIFFICULT[words])
    assert learn_transformer(ModelOracle(model), seed=1).model == model.canonical()


@exact_names
def test_queries_for_the_scores(name: str) -> None:
    model = random_transformer(SEMANTICS[name], 5, hidden=3, seed=2)
    notes = learn_transformer(ModelOracle(model)).notes
    assert notes[0].endswith("; 25 for W")
    assert "not excluded" in notes[-1]


def test_low_rank_needs_fewer_queries() -> None:
    d = 12
    network = random_transformer(Base2(), d, hidden=2, seed=5).network
    W = [[(i % 3 - 1) * (j % 2) for j in range(d)] for i in range(d)]
    model = Transformer(Base2(), W, network)
    learned = learn_transformer(ModelOracle(model))
    assert learned.model == model.canonical()
    assert int(learned.notes[0].split("; ")[1].split()[0]) < d * d / 2


def test_a_constant_network_hides_the_scores() -> None:
    for network in (ReluNetwork([], [0, 0], 3), ReluNetwork([(1, [1, 1], 0), (-1, [1, 1], 0)], [0, 0])):
        model = Transformer(ExpField(), [[1, 2], [3, 4]], network)
        with pytest.raises(NotIdentifiable, match="constant"):
            learn_transformer(ModelOracle(model))
        assert same_function(model, Transformer(ExpField(), [[0, 0], [0, 0]], network))


def test_the_value_matrix_is_absorbed() -> None:
    network = ReluNetwork([(1, [1, -1], 2)], [0, 1], 1)
    model = Transformer(Base2(), [[1, 0, 2], [0, 1, 1], [1, 1, 0]], network, [[1, 2, 3], ["1/2", 0, -1]])
    learned = learn_transformer(ModelOracle(model)).model
    assert learned == model.canonical()
    assert learned.network == ReluNetwork([(1, ["1/2", 2, 4], 2)], ["1/2", 0, -1], 1).canonical()
    assert same_function(learned, model)


@exact_names
def test_other_functions_are_refused(name: str) -> None:
    semantics: Any = SEMANTICS[name]
    two_heads = random_target(semantics, 2, heads=2, seed=3)
    transformer = random_transformer(semantics, 2, hidden=2, seed=3)

    def last_token_matters(runs: Any) -> Any:
        return transformer.value(Query(tuple(runs))) + (1 if len(runs) > 2 else 0)

    def squares(runs: Any) -> Any:
        return sum((fmpq(x[0]) ** 2 * k for x, k in runs), fmpq(0)) / sum(k for _, k in runs)

    with pytest.raises(NotATransformer) as caught:
        learn_transformer(ModelOracle(two_heads))
    assert two_heads.value(caught.value.query) == caught.value.answer
    with pytest.raises(NotATransformer):
        learn_transformer(CallableOracle(last_token_matters, semantics, 2))
    with pytest.raises((SearchExhausted, NotATransformer)):
        learn_transformer(CallableOracle(squares, semantics, 2))


@pytest.mark.parametrize("dim", [1, 3, 5])
def test_negation(dim: int) -> None:
    for name, semantics in EXACT.items():
        model = random_transformer(semantics, dim, hidden=3, biases=False, seed=dim)
        learned: Any = learn_by_negation(ModelOracle(model))
        (head,) = learned.model.heads
        slope = [sum(n.a * n.w[i] for n in model.network.hidden) + 2 * model.network.linear[i] for i in range(dim)]
        assert head == Head(model.W, [semantics.value(x) for x in slope]), name
        assert learned.learning.queries == 2 * (dim**2 + dim)
        assert learn_transformer_by_negation(ModelOracle(model)).model == model.canonical()


def test_the_conditions_of_negation() -> None:
    W = [[1, 2], [0, 1]]
    even = ReluNetwork([(1, [1, 1], 0), (1, [-1, -1], 0)], [0, 0], 4)
    with pytest.raises(NotIdentifiable, match="l = 0"):
        learn_by_negation(ModelOracle(Transformer(Base2(), W, even)))
    with pytest.raises(NotATransformer, match="biases"):
        learn_by_negation(ModelOracle(Transformer(Base2(), W, ReluNetwork([(1, [1, 1], 1)], [0, 1]))))


def test_a_network_learner_of_ones_own() -> None:
    model = random_transformer(ExpField(), 3, hidden=2, seed=4)
    asked = []

    def flipped(oracle: NetworkOracle, *, seed: int = 0) -> ReluNetwork:
        asked.append(oracle.values([[0, fmpq(1, 2), 3]]))
        network = learn_ffn(oracle, seed=seed)
        first, *rest = network.hidden
        lost = [x + first.a * y for x, y in zip(network.linear, first.w, strict=True)]
        turned = (first.a, [-x for x in first.w], -first.c)
        return ReluNetwork([turned, *rest], lost, network.constant + first.a * first.c)

    learned = learn_transformer(ModelOracle(model), network_learner=flipped)
    assert learned.model == model.canonical()
    assert asked == [[model.network.value([fmpq(0), fmpq(1, 2), fmpq(3)])]]
    for wrong in (None, ReluNetwork([], [1]), ReluNetwork([], [1, 1, 1], exact=False)):
        with pytest.raises(InputError, match="network learner"):
            learn_transformer(ModelOracle(model), network_learner=lambda oracle, seed=0, wrong=wrong: wrong)
    with pytest.raises(NotATransformer):
        learn_transformer(ModelOracle(model), network_learner=lambda oracle, seed=0: ReluNetwork([], [1, 1, 1]))


def test_floating_point() -> None:
    rng = random.Random(1)

    def vector() -> list[float]:
        return [rng.gauss(0, 1) for _ in range(3)]

    for _ in range(5):
        hidden = [(rng.gauss(0, 1), vector(), rng.gauss(0, 1)) for _ in range(3)]
        model = Transformer(Float(), [vector() for _ in range(3)], ReluNetwork(hidden, vector(), 1, exact=False))
        learned = learn_transformer(ModelOracle(model))
        for mine, theirs in zip(learned.model.W, model.W, strict=True):
            assert mine == pytest.approx(theirs, abs=1e-4)
        assert learned.model.network.linear == pytest.approx(model.canonical().network.linear, abs=1e-4)


@exact_names
def test_recognised_by_answers(name: str) -> None:
    semantics = SEMANTICS[name]
    model = random_transformer(semantics, 3, hidden=3, seed=6)
    assert nonlinear_on_single_tokens(ModelOracle(model))
    assert not nonlinear_on_single_tokens(ModelOracle(random_target(semantics, 3, heads=2)))
    learned = learn_automatically(ModelOracle(model))
    assert learned.model == model.canonical()
    far = Transformer(semantics, [[1, 0], [0, 1]], ReluNetwork([(1, [1, 1], -9)], [0, 0]))
    assert learn_automatically(ModelOracle(far)).model == far.canonical()
    nearly_linear = Transformer(semantics, [[1, 0], [0, 1]], ReluNetwork([(1, [0, -1], -60)], [1, 2]))
    assert learn_automatically(ModelOracle(nearly_linear)).model == nearly_linear.canonical()
    linear = Transformer(semantics, [[1, 2], [3, 4]], ReluNetwork([], [1, 2]))
    assert same_function(learn_automatically(ModelOracle(linear)).model, linear)


@exact_names
@settings(max_examples=40)
@given(st.data())
def test_equality_and_witnesses(name: str, data: Any) -> None:
    a, b = data.draw(transformers(name, max_dim=2)), data.draw(transformers(name, max_dim=2))
    assert equal(a, a.canonical())
    if a.dim == b.dim:
        for other in (b, Transformer(a.semantics, b.W, a.network), Transformer(a.semantics, a.W, b.network)):
            comparison = equal(a, other)
            assert bool(comparison) == same_function(a, other)
            if not comparison:
                assert a.value(comparison.witness) != other.value(comparison.witness)


def test_equality_with_heads() -> None:
    W = [[1, 2], [3, 4]]
    head = AttentionModel(Base2(), 2, [Head(W, [1, 5])])
    assert equal(Transformer(Base2(), W, ReluNetwork([], [1, 5])), head)
    assert not equal(head, Transformer(Base2(), W, ReluNetwork([], [1, 5], 1)))
    assert equal(head, Transformer(Base2(), W, ReluNetwork([(1, [1, 1], 0)], [1, 5]))).witness is not None
    with pytest.raises(InputError, match="dimensions"):
        equal(head, Transformer(Base2(), [[1]], ReluNetwork([(1, [1], 0)], [1])))
    with pytest.raises(InputError, match="semantics"):
        equal(head, Transformer(ExpField(), W, ReluNetwork([(1, [1, 1], 0)], [1, 5])))


@pytest.mark.parametrize("name", list(SEMANTICS))
def test_target_files(name: str, tmp_path: Path) -> None:
    for seed, hidden in enumerate((0, 1, 4)):
        model = random_transformer(SEMANTICS[name], 3, hidden=hidden, seed=seed)
        with_values = Transformer(SEMANTICS[name], [[1, 0], [2, 3]], model.network, [[1, 2], [3, 4], [5, 6]])
        for written in (model, with_values):
            save_target(written, tmp_path / "t.json")
            assert load_target(tmp_path / "t.json") == written
            assert target_from_json(json.loads(json.dumps(target_to_json(written)))) == written


FFN = '{"hidden": [{"a": 1, "w": [1], "c": 0}], "linear": [1], "constant": 0}'
CONSTANT = ', "c": 0'
BAD = {
    "missing key 'ffn'": '"W": [[1]]',
    "unknown key 'v'": f'"W": [[1]], "ffn": {FFN}, "v": [1]',
    "W is a list of rows": f'"W": 3, "ffn": {FFN}',
    "W must be square": f'"W": [[1, 2]], "ffn": {FFN}',
    "W has size 2, but": f'"W": [[1, 2], [3, 4]], "ffn": {FFN}',
    "not an integer": f'"W": [["1/2"]], "ffn": {FFN}',
    "ffn is a JSON object": '"W": [[1]], "ffn": []',
    "ffn: hidden is a list": '"W": [[1]], "ffn": {"hidden": 1, "linear": [1], "constant": 0}',
    "ffn: linear is a list": '"W": [[1]], "ffn": {"hidden": [], "linear": 1, "constant": 0}',
    "ffn: linear is empty": '"W": [], "ffn": {"hidden": [], "linear": [], "constant": 0}',
    "ffn: hidden[0]: missing key 'c'": f'"W": [[1]], "ffn": {FFN.replace(CONSTANT, "", 1)}',
    "ffn: hidden[0].w has length 2": f'"W": [[1]], "ffn": {FFN.replace("[1]", "[1, 1]", 1)}',
    "ffn: hidden[0].a: 0.5 is a floating-point": f'"W": [[1]], "ffn": {FFN.replace("1", "0.5", 1)}',
    "V has 2 rows": f'"W": [[1]], "ffn": {FFN}, "V": [[1], [1]]',
    "V: linear[0]: 'x'": f'"W": [[1]], "ffn": {FFN}, "V": [["x"]]',
}


@pytest.mark.parametrize("words", BAD)
def test_bad_target_files(words: str, target_file: Any) -> None:
    path = target_file(f'{{"model": "transformer", "semantics": "base2", {BAD[words]}}}')
    with pytest.raises(InputError) as caught:
        load_target(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def run(capsys: Any, *arguments: object) -> tuple[int, str, str]:
    code = main([*map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("method", ["auto", "transformer"])
def test_the_command_line(method: str, tmp_path: Path, capsys: Any) -> None:
    path, out, transcript = tmp_path / "t.json", tmp_path / "out.json", tmp_path / "transcript"
    assert run(capsys, "generate", "--model", "transformer", "--dim", 3, "--hidden", 2, "--out", path)[0] == 0
    code, text, _ = run(capsys, "learn", path, "--method", method, "--out", out, "--transcript", transcript)
    assert code == 0
    assert "transformer with 2 neurons of dimension 3" in text
    assert "exact    yes" in text
    assert run(capsys, "equal", path, out)[:2] == (
        0,
        "equal: the two models compute the same function on all sequences\n",
    )
    assert run(capsys, "canonical", path)[1] == out.read_text(encoding="utf-8")
    report = json.loads(run(capsys, "learn", path, "--method", method, "--json")[1])
    assert report["exact"]
    assert target_from_json({key: report[key] for key in ("model", "semantics", "W", "ffn")}) == load_target(out)


def test_the_command_line_refuses(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "t.json"
    run(capsys, "generate", "--model", "transformer", "--dim", 2, "--out", path)
    assert run(capsys, "symmetries", path)[0] == 2
    assert run(capsys, "learn", path, "--method", "negation")[0] == 1
    assert run(capsys, "learn", path, "--method", "single-head")[0] == 1
    for options in (("--model", "x"), ("--hidden", 3), ("--model", "transformer", "--heads", 2)):
        assert run(capsys, "generate", "--dim", 2, *options)[0] == 2


def test_the_command_line_in_floating_point(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "t.json"
    run(capsys, "generate", "--model", "transformer", "--dim", 2, "--semantics", "float", "--out", path)
    report = json.loads(run(capsys, "learn", path, "--json")[1])
    assert not report["exact"]
    assert report["largest_error"] < 1e-3


@pytest.mark.parametrize("options", [{"hidden": -1}, {"hidden": 10**8}, {"hidden": 1, "low": 0, "high": 0}])
def test_bad_options_for_random_transformers(options: Any) -> None:
    with pytest.raises(InputError):
        random_transformer(Base2(), 2, **options)


@pytest.mark.parametrize("row", reproduce.ROWS, ids=lambda row: row.name)
def test_rows_are_exact(row: Any, tmp_path: Path) -> None:
    outcome = row.run(Context(True, 1, tmp_path))
    assert outcome.exact
    assert outcome.queries <= outcome.bound
    assert outcome.cases > 0


def test_random_transformers() -> None:
    assert random_transformer(Base2(), 3, hidden=2, seed=1) == random_transformer(Base2(), 3, hidden=2, seed=1)
    assert random_transformer(Base2(), 3, hidden=2, seed=1) != random_transformer(Base2(), 3, hidden=2, seed=2)
    free = random_transformer(Base2(), 3, hidden=5, biases=False).network
    assert free.constant == 0
    assert all(n.c == 0 for n in free.hidden)
