"""What the operators of expressions do to values that are already there (SPEC §5).

Each operation either gives a value, or raises `ExpressionFailed`, or raises `LimitExceeded` *before* it
builds an object that is too large.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TypeAlias

import attrs

from eclogue.core.canonical import quote
from eclogue.core.errors import SCHEMA, TYPE, FailureReason, LimitExceeded, missing_key
from eclogue.core.limits import MEBI, Limits
from eclogue.core.memory import require
from eclogue.core.mismatch import mismatch
from eclogue.core.schema import Schema, conforms
from eclogue.core.syntax import BinaryOperator, Expression
from eclogue.core.values import RecordValue, Value, equal, kind_name

Operator: TypeAlias = Callable[[Value, Value], Value]
"""A binary operator, on the values of both operands."""


class ExpressionFailed(Exception):
    """An expression has no value, for this reason (`expr.failure`); `detail` explains it to people.

    `expression` is the innermost one that failed, where that is known.
    """

    def __init__(self, reason: FailureReason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.expression: Expression | None = None


def expected(kind: str, found: Value) -> ExpressionFailed:
    """Return the failure of an operation that wanted another kind of value."""
    return ExpressionFailed(TYPE, f"expected {kind}, found {kind_name(found)}")


def project(subject: Value, key: str) -> Value:
    """`expr.project`: the field of a record."""
    if type(subject) is not RecordValue:
        raise expected("Record", subject)
    try:
        return subject.fields[key]
    except KeyError:
        raise ExpressionFailed(missing_key(key), f"the record has no key {quote(key)}") from None


def negate(subject: Value) -> Value:
    """`expr.not`."""
    if subject is True:
        return False
    if subject is False:
        return True
    raise expected("Bool", subject)


def checked(schema: Schema, subject: Value) -> Value:
    """`expr.check`: the value itself, if it conforms."""
    if conforms(schema, subject):
        return subject
    raise ExpressionFailed(SCHEMA, mismatch(schema, subject))


@attrs.frozen
class Operators:
    """The operators that observe limits."""

    binary: Mapping[BinaryOperator, Operator]
    list_length: int

    def list_of(self, items: list[Value]) -> Value:
        """`expr.list`."""
        if len(items) > self.list_length:
            raise LimitExceeded("list_length", self.list_length)
        return tuple(items)


def operators(limits: Limits) -> Operators:
    """Return the operators under some limits (`expr.binary`)."""
    bits = limits.integer_bits
    binary = {
        BinaryOperator.EQ: equal,
        BinaryOperator.NE: _differ,
        BinaryOperator.LT: _less,
        BinaryOperator.LE: _at_most,
        BinaryOperator.ADD: _addition(bits),
        BinaryOperator.SUB: _subtraction(bits),
        BinaryOperator.MUL: _multiplication(bits),
        BinaryOperator.CONCAT: _concatenation(limits),
        BinaryOperator.AND: _and,
        BinaryOperator.OR: _or,
    }
    return Operators(binary, limits.list_length)


def _differ(left: Value, right: Value) -> Value:
    return not equal(left, right)


def _less(left: Value, right: Value) -> Value:
    if type(left) is int and type(right) is int:
        return left < right
    raise _first_that_is_not(int, "Int", left, right)


def _at_most(left: Value, right: Value) -> Value:
    if type(left) is int and type(right) is int:
        return left <= right
    raise _first_that_is_not(int, "Int", left, right)


def _and(left: Value, right: Value) -> Value:
    if type(left) is bool and type(right) is bool:
        return left and right
    raise _first_that_is_not(bool, "Bool", left, right)


def _or(left: Value, right: Value) -> Value:
    if type(left) is bool and type(right) is bool:
        return left or right
    raise _first_that_is_not(bool, "Bool", left, right)


def _first_that_is_not(kind: type, name: str, left: Value, right: Value) -> ExpressionFailed:
    return expected(name, right if type(left) is kind else left)


def _addition(bits: int) -> Operator:
    def add(left: Value, right: Value) -> Value:
        if type(left) is int and type(right) is int:
            total = left + right
            if total.bit_length() > bits:
                raise LimitExceeded("integer_bits", bits)
            return total
        raise _first_that_is_not(int, "Int", left, right)

    return add


def _subtraction(bits: int) -> Operator:
    def subtract(left: Value, right: Value) -> Value:
        if type(left) is int and type(right) is int:
            difference = left - right
            if difference.bit_length() > bits:
                raise LimitExceeded("integer_bits", bits)
            return difference
        raise _first_that_is_not(int, "Int", left, right)

    return subtract


def _multiplication(bits: int) -> Operator:
    def multiply(left: Value, right: Value) -> Value:
        if type(left) is int and type(right) is int:
            # A product has as many bits as its factors together, or one fewer.
            if left and right and left.bit_length() + right.bit_length() - 1 > bits:
                raise LimitExceeded("integer_bits", bits)
            product = left * right
            if product.bit_length() > bits:
                raise LimitExceeded("integer_bits", bits)
            return product
        raise _first_that_is_not(int, "Int", left, right)

    return multiply


def _concatenation(limits: Limits) -> Operator:
    text_length, list_length, memory = limits.text_length, limits.list_length, limits.memory

    def concatenate(left: Value, right: Value) -> Value:
        if type(left) is str and type(right) is str:
            length = len(left) + len(right)
            if length > text_length:
                raise LimitExceeded("text_length", text_length)
            if length > MEBI:
                require(sys.getsizeof(left) + sys.getsizeof(right), memory)
            return left + right
        if type(left) is tuple and type(right) is tuple:
            length = len(left) + len(right)
            if length > list_length:
                raise LimitExceeded("list_length", list_length)
            if length > MEBI:
                require(sys.getsizeof(left) + sys.getsizeof(right), memory)
            return left + right
        if type(left) is str:
            raise expected("Text", right)
        if type(left) is tuple:
            raise expected("List", right)
        raise expected("Text or List", left)

    return concatenate
