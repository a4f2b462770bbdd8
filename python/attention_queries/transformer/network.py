"""ReLU networks with one hidden layer, and the canonical form that their function determines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any

from attention_queries.errors import InputError
from attention_queries.semantics import Float
from attention_queries.semantics.rational import parse_rational
from attention_queries.semantics.sign import sign

Point = Sequence[Any]

FLOAT_TOLERANCE = 1e-6
"""In floating point, hyperplanes whose parameters differ by this much, relative to 1, count as one."""


@dataclass(frozen=True, slots=True)
class Neuron:
    """The function `a · relu(⟨w, z⟩ + c)`; in canonical form `a` is the jump of the slope across the hyperplane."""

    a: Any
    w: tuple[Any, ...]
    c: Any

    def input(self, z: Point) -> Any:
        """`⟨w, z⟩ + c`, negative where the neuron is off."""
        return inner(self.w, z) + self.c


class ReluNetwork:
    """The function `g(z) = Σ_j a_j relu(⟨w_j, z⟩ + c_j) + ⟨l, z⟩ + e` of vectors of length d; immutable.

    All parameters are rational numbers (`flint.fmpq`), or floating-point numbers when `exact` is False.
    """

    __slots__ = ("constant", "dim", "exact", "hidden", "linear")

    hidden: tuple[Neuron, ...]
    linear: tuple[Any, ...]
    constant: Any
    exact: bool
    dim: int

    def __init__(
        self,
        hidden: Iterable[Neuron | tuple[object, Iterable[object], object]],
        linear: Iterable[object],
        constant: object = 0,
        *,
        exact: bool = True,
    ) -> None:
        """Read neurons, given as such or as triples `(a, w, c)`, and the affine part.

        Raises `InputError` for bad numbers and for vectors of different lengths.
        """
        set_ = object.__setattr__
        read = parse_rational if exact else Float().scalar
        set_(self, "exact", exact)
        set_(self, "linear", tuple(_read(read, x, f"linear[{i}]") for i, x in enumerate(linear)))
        set_(self, "dim", len(self.linear))
        if self.dim == 0:
            raise InputError("linear is empty; a network needs dimension at least 1")
        set_(self, "constant", _read(read, constant, "constant"))
        set_(self, "hidden", tuple(self._neuron(read, neuron, j) for j, neuron in enumerate(hidden)))

    def _neuron(self, read: Any, neuron: Neuron | tuple[object, Iterable[object], object], j: int) -> Neuron:
        a, w, c = (neuron.a, neuron.w, neuron.c) if isinstance(neuron, Neuron) else neuron
        place = f"hidden[{j}]"
        weights = tuple(_read(read, x, f"{place}.w[{i}]") for i, x in enumerate(w))
        if len(weights) != self.dim:
            raise InputError(f"{place}.w has length {len(weights)}, and linear has length {self.dim}")
        return Neuron(_read(read, a, f"{place}.a"), weights, _read(read, c, f"{place}.c"))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("networks are immutable")

    @classmethod
    def zero(cls, dim: int, *, exact: bool = True) -> ReluNetwork:
        """The network that is 0 everywhere."""
        return cls([], [0] * dim, exact=exact)

    @property
    def parameters(self) -> int:
        """The number of parameters that the canonical form has: d + 1 a neuron, and d + 1."""
        return (len(self.hidden) + 1) * (self.dim + 1)

    def value(self, z: Point) -> Any:
        """`g(z)`; the entries of `z` may be rational, floating or exponential numbers."""
        total = inner(self.linear, z) + self.constant
        for neuron in self.hidden:
            x = neuron.input(z)
            if sign(x) > 0:
                total = total + neuron.a * x
        return total

    def gradient(self, z: Point) -> tuple[Any, ...]:
        """The gradient at `z`, neurons whose kink passes through `z` counted as off."""
        gradient = list(self.linear)
        for neuron in self.hidden:
            if sign(neuron.input(z)) > 0:
                gradient = [x + neuron.a * y for x, y in zip(gradient, neuron.w, strict=True)]
        return tuple(gradient)

    def __add__(self, other: ReluNetwork) -> ReluNetwork:
        linear = [x + y for x, y in zip(self.linear, other.linear, strict=True)]
        return ReluNetwork(
            (*self.hidden, *other.hidden), linear, self.constant + other.constant, exact=self.exact and other.exact
        )

    def after(self, V: Sequence[Sequence[Any]]) -> ReluNetwork:
        """The network `z ↦ g(V z)`; only the products `w_jᵀ V` and `lᵀ V` of `V` with the network matter.

        Raises `InputError` unless `V` has as many rows as the network has inputs, all of one length.
        """
        if len(V) != self.dim:
            raise InputError(f"V has {len(V)} rows, and the network has {self.dim} inputs")
        if len({len(row) for row in V}) != 1 or not V[0]:
            raise InputError("the rows of V have different lengths, or none")
        columns = list(zip(*V, strict=True))
        hidden = [(n.a, [inner(n.w, column) for column in columns], n.c) for n in self.hidden]
        return ReluNetwork(hidden, [inner(self.linear, column) for column in columns], self.constant, exact=self.exact)

    def canonical(self) -> ReluNetwork:
        """The one network with this function whose neurons are normalised, sorted, and all needed.

        The first non-zero entry of every `w` is 1 (`relu(-x) = relu(x) - x` moves the rest to the affine part), the
        hyperplanes `(w, c)` are distinct, and no `a` is 0. Two exact networks compute the same function exactly when
        their canonical forms are equal. In floating point all this holds up to `FLOAT_TOLERANCE`.
        """
        jumps: list[tuple[tuple[Any, ...], Any, Any]] = []
        linear, constant = list(self.linear), self.constant
        for neuron in self.hidden:
            lead = self._lead(neuron.w)
            if lead is None:
                if neuron.c > 0:
                    constant += neuron.a * neuron.c
                continue
            t = neuron.w[lead]
            a = neuron.a * t
            if t < 0:
                a = -a
                linear = [x + neuron.a * y for x, y in zip(linear, neuron.w, strict=True)]
                constant += neuron.a * neuron.c
            w = tuple(x / t if i >= lead else x * 0 for i, x in enumerate(neuron.w))
            c = neuron.c / t
            same = next((k for k, (w2, c2, _) in enumerate(jumps) if self._same((*w, c), (*w2, c2))), None)
            if same is None:
                jumps.append((w, c, a))
            else:
                w, c, b = jumps[same]
                jumps[same] = (w, c, a + b)
        hidden = [(a, w, c) for w, c, a in sorted(jumps, key=lambda jump: jump[:2]) if not self._same((a,), (a * 0,))]
        return ReluNetwork(hidden, linear, constant, exact=self.exact)

    def _lead(self, w: tuple[Any, ...]) -> int | None:
        largest = max(map(abs, w))
        return next((i for i, x in enumerate(w) if x != 0 and (self.exact or abs(x) > 1e-9 * largest)), None)

    def _same(self, x: tuple[Any, ...], y: tuple[Any, ...]) -> bool:
        if self.exact:
            return x == y
        return all(
            math.isclose(a, b, rel_tol=FLOAT_TOLERANCE, abs_tol=FLOAT_TOLERANCE) for a, b in zip(x, y, strict=True)
        )

    @property
    def is_constant(self) -> bool:
        """Whether the function takes one value only."""
        form = self.canonical()
        return not form.hidden and self._same(form.linear, (0 * self.constant,) * self.dim)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReluNetwork):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return (self.exact, self.hidden, self.linear, self.constant)

    def __repr__(self) -> str:
        return f"<ReluNetwork: {len(self.hidden)} neuron(s), dimension {self.dim}>"


def inner(w: Sequence[Any], z: Point) -> Any:
    """`Σ w_i z_i`, of two vectors of the same length, not empty."""
    return sum(map(mul, w, z))


def _read(read: Any, x: object, place: str) -> Any:
    try:
        return read(x)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
