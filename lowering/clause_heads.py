"""Checks of handlers that need no look into the bodies of their clauses."""

from __future__ import annotations

from eclogue.lowering import ast
from eclogue.lowering.declarations import Declarations, OperationTypes, check_parameters, find_operation
from eclogue.lowering.reporter import Reporter


def single_return_clause(block: ast.HandlerBlock, reporter: Reporter) -> ast.ReturnClause | None:
    """Return the return clause of a handler, if it has one, and report a second one."""
    clauses = [clause for clause in block.clauses if isinstance(clause, ast.ReturnClause)]
    for clause in clauses[1:]:
        reporter.error(
            "EC2102",
            "a second return clause",
            clause.span,
            notes=((clauses[0].span, "the first is here"),),
            hint="a handler has one return clause at most",
        )
    return clauses[0] if clauses else None


def clause_operation(
    clause: ast.ClauseDeclaration,
    seen: dict[str, ast.ClauseDeclaration],
    declarations: Declarations,
    reporter: Reporter,
) -> OperationTypes | None:
    """Return the operation of a clause, and report what is wrong with the clause's head."""
    check_parameters(clause.parameters, reporter)
    operation = find_operation(clause.operation, declarations, reporter)
    if operation is None:
        return None
    name, declaration = operation.name, operation.declaration
    if name in seen:
        reporter.error(
            "EC2101",
            f"a second clause for `{name}`",
            clause.operation.span,
            notes=((seen[name].operation.span, "the first is here"),),
            hint="a handler has one clause for each operation; decide with `if` in it",
        )
    seen.setdefault(name, clause)
    if clause.kind is ast.ClauseKind.CTL and declaration.kind is ast.ClauseKind.FUN:
        reporter.error(
            "EC2103",
            f"a `ctl` clause for `{name}`, which is declared `fun`",
            clause.span,
            notes=((declaration.span, "declared here"),),
            hint="write a `fun` clause: its value is resumed with",
        )
    wanted = [parameter.name.text for parameter in declaration.parameters]
    if len(clause.parameters) != len(wanted):
        listed = ", ".join(wanted)
        reporter.error(
            "EC2104",
            f"the clause for `{name}` has {_parameters(len(clause.parameters))}, not {len(wanted)}",
            clause.operation.span,
            notes=((declaration.span, "declared here"),),
            hint=f"write `{name}({listed})`; `_` stands for one that is not used",
        )
    return operation


def _parameters(number: int) -> str:
    return {0: "no parameters", 1: "one parameter"}.get(number, f"{number} parameters")


def only_resumes(clause: ast.ClauseDeclaration) -> bool:
    """Return whether a clause surely completes with what its resume returned."""
    if clause.kind is ast.ClauseKind.FUN:
        return True
    body = clause.body
    last = body.statements[-1] if body.statements else None
    if not isinstance(last, (ast.RunStatement, ast.ReturnStatement)):
        return False
    tail = body.tail or isinstance(last, ast.ReturnStatement)
    if not (tail and isinstance(last.computation, ast.ResumeComputation)):
        return False
    return all(_has_no_end(statement) for statement in body.statements[:-1])


def _has_no_end(statement: ast.Statement) -> bool:
    """Return whether a statement before the last cannot complete the clause: simple ones cannot."""
    return isinstance(statement, (ast.LetStatement, ast.RunStatement)) and not isinstance(
        statement.computation, (ast.IfComputation, ast.BlockComputation)
    )
