"""Trees and spans by hand, for every construct of the grammar."""

from __future__ import annotations

from typing import Any

import pytest

from eclogue.core.syntax import BinaryOperator, Span, Tier
from eclogue.lowering import ast
from eclogue.lowering.ast import ClauseKind, SugaredOperator, UnaryOperator
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.parser import parse

HERE = Span(1, 1, 1, 1)


def parsed(text: str) -> ast.SourceFile:
    return parse(SourceText("test.ecl", text))


def body(statements: str) -> ast.Block:
    (task,) = parsed(f"task t(): Any {{ {statements} }}").declarations
    assert isinstance(task, ast.TaskDeclaration)
    return task.body


def computation(text: str) -> ast.Computation:
    (statement,) = body(f"return {text}").statements
    assert isinstance(statement, ast.ReturnStatement)
    return statement.computation


def expression(text: str) -> ast.Expression:
    pure = computation(text)
    assert isinstance(pure, ast.PureComputation)
    return pure.expression


def type_of(text: str) -> ast.Type:
    (declaration,) = parsed(f"type t = {text}").declarations
    assert isinstance(declaration, ast.TypeDeclaration)
    return declaration.type


# Short forms of the nodes


def name(text: str) -> ast.Name:
    return ast.Name(text, span=HERE)


def qualified(text: str) -> ast.QualifiedName:
    effect, operation = text.split(".")
    return ast.QualifiedName(name(effect), name(operation), span=HERE)


def var(text: str) -> ast.VariableExpression:
    return ast.VariableExpression(name(text), span=HERE)


def lit(value: bool | int | str | None) -> ast.LiteralExpression:
    return ast.LiteralExpression(value, span=HERE)


def two(left: ast.Expression, operator: Any, right: ast.Expression) -> ast.BinaryExpression:
    return ast.BinaryExpression(operator, left, right, span=HERE)


def pure(value: ast.Expression) -> ast.PureComputation:
    return ast.PureComputation(value, span=HERE)


def run(value: ast.Computation) -> ast.RunStatement:
    return ast.RunStatement(value, span=HERE)


def block(*statements: ast.Statement, tail: bool = False) -> ast.Block:
    return ast.Block(statements, tail, span=HERE)


def named(text: str) -> ast.NamedType:
    return ast.NamedType(name(text), span=HERE)


A, B, C, D = var("a"), var("b"), var("c"), var("d")
Op = BinaryOperator

# ------------------------------------------------------------------------------------------------
# Expressions


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("()", None),
        ("null", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("9007199254740993", 9007199254740993),
        ('""', ""),
        ('"a b"', "a b"),
        (r'"\n\t\r\"\\"', '\n\t\r"\\'),
        (r'"\u{41}\u{1F600}\u{00e9}"', "A\U0001f600é"),
        ('"\t# no comment"', "\t# no comment"),
        ('"e\u0301 名前 \U0001f600"', "e\u0301 名前 \U0001f600"),
    ],
)
def test_literals(text: str, value: bool | int | str | None) -> None:
    assert expression(text) == lit(value)


def test_true_is_not_one() -> None:
    assert expression("true") != lit(1)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a - b - c", two(two(A, Op.SUB, B), Op.SUB, C)),
        ("a + b * c", two(A, Op.ADD, two(B, Op.MUL, C))),
        ("(a + b) * c", two(two(A, Op.ADD, B), Op.MUL, C)),
        ("a ++ b ++ c + d", two(two(A, Op.CONCAT, B), Op.CONCAT, two(C, Op.ADD, D))),
        ("a ++ b == c", two(two(A, Op.CONCAT, B), Op.EQ, C)),
        ("a < b and c or d", two(two(two(A, Op.LT, B), Op.AND, C), Op.OR, D)),
        ("a or b and c", two(A, Op.OR, two(B, Op.AND, C))),
        ("(a < b) == c", two(two(A, Op.LT, B), Op.EQ, C)),
        ("a > b", two(A, SugaredOperator.GT, B)),
        ("a >= b", two(A, SugaredOperator.GE, B)),
        ("a <= b", two(A, Op.LE, B)),
        ("a != b", two(A, Op.NE, B)),
    ],
)
def test_binary_operators(text: str, tree: ast.Expression) -> None:
    assert expression(text) == tree


def unary(operator: UnaryOperator, operand: ast.Expression) -> ast.UnaryExpression:
    return ast.UnaryExpression(operator, operand, span=HERE)


def project(subject: ast.Expression, key: str) -> ast.ProjectExpression:
    return ast.ProjectExpression(subject, name(key), span=HERE)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("-5", unary(UnaryOperator.NEGATE, lit(5))),
        ("--a", unary(UnaryOperator.NEGATE, unary(UnaryOperator.NEGATE, A))),
        ("-a * b", two(unary(UnaryOperator.NEGATE, A), Op.MUL, B)),
        ("a - -b", two(A, Op.SUB, unary(UnaryOperator.NEGATE, B))),
        ("-a.b", unary(UnaryOperator.NEGATE, project(A, "b"))),
        ("not a == b", unary(UnaryOperator.NOT, two(A, Op.EQ, B))),
        ("not not a and b", two(unary(UnaryOperator.NOT, unary(UnaryOperator.NOT, A)), Op.AND, B)),
        ("a.b.c", project(project(A, "b"), "c")),
        ("a.with", project(A, "with")),
        ('a."b c"', project(A, "b c")),
        ("1.a", project(lit(1), "a")),
        (
            "{a: 1}.a",
            project(
                ast.RecordExpression((ast.FieldExpression(name("a"), lit(1), span=HERE),), span=HERE), "a"
            ),
        ),
    ],
)
def test_unary_operators_and_projections(text: str, tree: ast.Expression) -> None:
    assert expression(text) == tree


@pytest.mark.parametrize("text", ["[a, b]", "[a, b,]", "[ a ,b , ]", "([a, (b)])"])
def test_lists(text: str) -> None:
    assert expression(text) == ast.ListExpression((A, B), span=HERE)


def test_records() -> None:
    def field(key: str, value: ast.Expression, shorthand: bool = False) -> ast.FieldExpression:
        return ast.FieldExpression(name(key), value, shorthand, span=HERE)

    fields = (field("a", B), field("if", C), field("x y", lit(1)), field("d", D, True))
    wanted = ast.RecordExpression(fields, span=HERE)
    assert expression('{a: b, if: c, "x y": 1, d}') == wanted
    assert expression('{"a": b, "if": c, "x y": 1, d,}') == wanted
    assert expression("{}") == ast.RecordExpression((), span=HERE)
    assert expression("[]") == ast.ListExpression((), span=HERE)


# ------------------------------------------------------------------------------------------------
# Types


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("Int", named("Int")),
        ("List[List[Any]]", ast.ListType(ast.ListType(named("Any"), span=HERE), span=HERE)),
        ('"ok"', ast.LiteralType(lit("ok"), span=HERE)),
        ("3", ast.LiteralType(lit(3), span=HERE)),
        ("-3", ast.LiteralType(lit(-3), span=HERE)),
        ("true", ast.LiteralType(lit(True), span=HERE)),
        ("()", ast.LiteralType(lit(None), span=HERE)),
        ("null", ast.LiteralType(lit(None), span=HERE)),
        ("{}", ast.RecordType((), span=HERE)),
    ],
)
def test_types(text: str, tree: ast.Type) -> None:
    assert type_of(text) == tree


def test_record_types() -> None:
    fields = (
        ast.FieldType(name("a"), True, named("Int"), span=HERE),
        ast.FieldType(name("task"), False, named("Text"), span=HERE),
    )
    assert type_of('{a: Int, "task"?: Text,}') == ast.RecordType(fields, span=HERE)


# ------------------------------------------------------------------------------------------------
# Computations


def test_perform_call_and_resume() -> None:
    assert computation("perform fs.write(a, 1)") == ast.PerformComputation(
        qualified("fs.write"), (A, lit(1)), span=HERE
    )
    assert computation("perform fs.sync()") == ast.PerformComputation(qualified("fs.sync"), (), span=HERE)
    assert computation("f(a, b,)") == ast.CallComputation(name("f"), (A, B), span=HERE)
    assert computation("resume(())") == ast.ResumeComputation(lit(None), span=HERE)


def test_handle() -> None:
    handled = block(run(pure(A)), tail=True)
    clauses = (
        ast.ReturnClause(name("x"), handled, span=HERE),
        ast.ClauseDeclaration(
            ClauseKind.CTL, qualified("fs.write"), (name("p"), name("_")), block(), span=HERE
        ),
        ast.ClauseDeclaration(ClauseKind.FUN, qualified("fs.sync"), (), handled, span=HERE),
    )
    written = "handle { a } with { return(x) { a } ctl fs.write(p, _) {} fun fs.sync() { a } }"
    handler = ast.HandlerBlock(clauses, span=HERE)
    assert computation(written) == ast.HandleComputation(handled, handler, None, span=HERE)
    assert computation(f"{written}: Int") == ast.HandleComputation(
        handled, handler, named("Int"), span=HERE
    )


@pytest.mark.parametrize(
    ("text", "arguments", "completion"),
    [
        ("h", (), None),
        ("h()", (), None),
        ("h(a)", (A,), None),
        ("h: Int", (), named("Int")),
        ("h(a): Int", (A,), named("Int")),
    ],
)
def test_named_handlers(text: str, arguments: Any, completion: Any) -> None:
    reference = ast.HandlerReference(name("h"), arguments, span=HERE)
    wanted = ast.HandleComputation(block(), reference, completion, span=HERE)
    assert computation(f"handle {{}} with {text}") == wanted


def test_if_else_if() -> None:
    def branch(otherwise: ast.Block | None) -> ast.IfComputation:
        return ast.IfComputation(A, block(), otherwise, span=HERE)

    assert computation("if a then {}") == branch(None)
    assert computation("if a then {} else {}") == branch(block())
    chain = branch(block(run(branch(block(run(branch(block())), tail=True))), tail=True))
    assert computation("if a then {} else if a then {} else if a then {} else {}") == chain
    assert computation("if a then {} else { if a then {} else { if a then {} else {} } }") == chain


def test_loops_and_do() -> None:
    repeat = ast.RepeatComputation(3, HERE, name("x"), A, B, block(), span=HERE)
    assert computation("repeat 3 with x = a while b {}") == repeat
    endless = ast.RepeatComputation(3, HERE, name("x"), A, None, block(), span=HERE)
    assert computation("repeat 3 with x = a {}") == endless
    items = ast.ListExpression((A,), span=HERE)
    assert computation("for x in [a] {}") == ast.ForComputation(name("x"), items, block(), span=HERE)
    assert computation("do {}") == ast.BlockComputation(block(), span=HERE)


# ------------------------------------------------------------------------------------------------
# Blocks


IF = run(ast.IfComputation(A, block(), None, span=HERE))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", block()),
        ("a", block(run(pure(A)), tail=True)),
        ("a;", block(run(pure(A)))),
        ("a; b", block(run(pure(A)), run(pure(B)), tail=True)),
        ("if a then {}", block(IF, tail=True)),
        ("if a then {};", block(IF)),
        ("if a then {} if a then {}", block(IF, IF, tail=True)),
        ("if a then {}; if a then {};", block(IF, IF)),
        ("if a then {} a", block(IF, run(pure(A)), tail=True)),
        ("if a then {} -a", block(IF, run(pure(unary(UnaryOperator.NEGATE, A))), tail=True)),
        ("if a then {} (a)", block(IF, run(pure(A)), tail=True)),
        ("answer(a)", block(ast.AnswerStatement(A, span=HERE))),
        ("abort(a);", block(ast.AbortStatement(A, span=HERE))),
        ("return a;", block(ast.ReturnStatement(pure(A), span=HERE))),
        (
            "return f(a)",
            block(ast.ReturnStatement(ast.CallComputation(name("f"), (A,), span=HERE), span=HERE)),
        ),
        ("let x = a", block(ast.LetStatement(name("x"), None, pure(A), span=HERE))),
        ("let x: Int = a;", block(ast.LetStatement(name("x"), named("Int"), pure(A), span=HERE))),
    ],
)
def test_blocks(text: str, wanted: ast.Block) -> None:
    assert body(text) == wanted


# ------------------------------------------------------------------------------------------------
# Declarations


def test_declarations() -> None:
    def parameter(text: str, annotation: str | None = None) -> ast.Parameter:
        return ast.Parameter(name(text), annotation and named(annotation), span=HERE)

    text = """
    effect fs {
      reversible ctl write(path: Text, text: Text): Unit
      irreversible fun note(): Int;
      compensable ctl undo(): Any
    }
    effect none {}
    type T = Int
    type U = Text;
    task t(a: Int): Int / {fs, fs.write} {}
    def f(a, b: Int) {}
    def g(): Int / {} {}
    handler h { }
    handler k(a) { }
    """
    ctl, fun = ClauseKind.CTL, ClauseKind.FUN
    operations = (
        ast.OperationDeclaration(
            Tier.REVERSIBLE,
            ctl,
            name("write"),
            (parameter("path", "Text"), parameter("text", "Text")),
            named("Unit"),
            span=HERE,
        ),
        ast.OperationDeclaration(Tier.IRREVERSIBLE, fun, name("note"), (), named("Int"), span=HERE),
        ast.OperationDeclaration(Tier.COMPENSABLE, ctl, name("undo"), (), named("Any"), span=HERE),
    )
    row = ast.Row((name("fs"), qualified("fs.write")), span=HERE)
    no_clauses = ast.HandlerBlock((), span=HERE)
    assert parsed(text).declarations == (
        ast.EffectDeclaration(name("fs"), operations, span=HERE),
        ast.EffectDeclaration(name("none"), (), span=HERE),
        ast.TypeDeclaration(name("T"), named("Int"), span=HERE),
        ast.TypeDeclaration(name("U"), named("Text"), span=HERE),
        ast.TaskDeclaration(name("t"), (parameter("a", "Int"),), named("Int"), row, block(), span=HERE),
        ast.DefDeclaration(
            name("f"), (parameter("a"), parameter("b", "Int")), None, None, block(), span=HERE
        ),
        ast.DefDeclaration(name("g"), (), named("Int"), ast.Row((), span=HERE), block(), span=HERE),
        ast.HandlerDeclaration(name("h"), (), no_clauses, span=HERE),
        ast.HandlerDeclaration(name("k"), (parameter("a"),), no_clauses, span=HERE),
    )


# ------------------------------------------------------------------------------------------------
# Spans and comments


SPANS = """\
effect fs { reversible ctl write(path: Text): Unit; }
# a comment

task main(): {k: Int} / {fs} {  # another
  let x: Int = (a + b) * -c.d;
  if x == 1 then { return {k: x,} } else if y then { f(x) } else { abort((x)) }
}
"""


def spans(node: object) -> list[tuple[str, str]]:
    """Return the name of each node's class with the text that its span covers, parents first."""
    source = SourceText("test.ecl", SPANS)
    found: list[tuple[str, str]] = []
    pending: list[Any] = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, tuple):
            pending.extend(reversed(item))
        elif hasattr(item, "__attrs_attrs__") and not isinstance(item, Span):
            found.append((type(item).__name__, source.excerpt(item.span)))
            pending.extend(reversed([getattr(item, field.name) for field in item.__attrs_attrs__]))
    return found


def test_spans_cover_the_node_s_own_text() -> None:
    found = spans(parsed(SPANS).declarations)
    for wanted in [
        ("OperationDeclaration", "reversible ctl write(path: Text): Unit"),
        ("Parameter", "path: Text"),
        ("RecordType", "{k: Int}"),
        ("FieldType", "k: Int"),
        ("Row", "/ {fs}"),
        ("LetStatement", "let x: Int = (a + b) * -c.d"),
        ("BinaryExpression", "(a + b) * -c.d"),
        ("BinaryExpression", "a + b"),
        ("UnaryExpression", "-c.d"),
        ("ProjectExpression", "c.d"),
        ("Name", "d"),
        ("IfComputation", "if x == 1 then { return {k: x,} } else if y then { f(x) } else { abort((x)) }"),
        ("IfComputation", "if y then { f(x) } else { abort((x)) }"),
        ("Block", "if y then { f(x) } else { abort((x)) }"),
        ("Block", "{ return {k: x,} }"),
        ("ReturnStatement", "return {k: x,}"),
        ("FieldExpression", "k: x"),
        ("CallComputation", "f(x)"),
        ("AbortStatement", "abort((x))"),
    ]:
        assert wanted in found


def test_comments_belong_to_the_file() -> None:
    comments = parsed(SPANS).comments
    assert [(comment.text, comment.alone, str(comment.span)) for comment in comments] == [
        ("# a comment", True, "2:1"),
        ("# another", False, "4:33"),
    ]


def test_same_is_equality_and_keeps_kinds_apart() -> None:
    assert ast.same(parsed(SPANS), parsed(SPANS.replace("\n", "\n\n")))
    for changed in [
        SPANS.replace("fs", "gs"),
        SPANS.replace("== 1", "== true"),
        SPANS.replace("f(x)", "f(x);"),
    ]:
        assert not ast.same(parsed(SPANS), parsed(changed))
        assert parsed(SPANS) != parsed(changed)
