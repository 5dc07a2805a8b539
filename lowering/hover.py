"""What an editor tells of a name or a keyword: a signature, the rule that it follows, the record it leaves.

Texts are Markdown. The rule ids are those of `core/SPEC.md`, the records those of `core/trace.py`.
"""

from __future__ import annotations

import attrs

from eclogue.lowering import ast
from eclogue.lowering.diagnostics import SourceText
from eclogue.lowering.occurrences import Definition, Kind


@attrs.frozen
class Keyword:
    """What a keyword means, the rules that it follows and the records that it leaves."""

    meaning: str
    rules: tuple[str, ...] = ()
    records: tuple[str, ...] = ()


KEYWORDS: dict[str, Keyword] = {
    "perform": Keyword(
        "Request an operation of the nearest handler that has a clause for it, else of the host.",
        ("core0.perform", "frame.catch"),
        ("EffectDeclaration", "HandlerSelection", "ResumptionHandle"),
    ),
    "handle": Keyword(
        "Run a block under clauses. The handler is deep: it stays around the block when it is resumed.",
        ("core0.handle", "frame.handler"),
    ),
    "with": Keyword("The clauses of a `handle`, or a named `handler`."),
    "resume": Keyword(
        "Continue the captured continuation, handler included, once; its value comes back here.",
        ("body.resume", "frame.resume_return"),
        ("ContinuationResume", "ResumeReturn"),
    ),
    "answer": Keyword(
        "Complete the clause without resuming, with an ordinary value.",
        ("body.answer", "corea.close"),
        ("EffectCapture", "SelectionClosed"),
    ),
    "abort": Keyword(
        "Complete the clause without resuming, and say so in the trace.",
        ("body.abort", "corea.close"),
        ("EffectCapture", "SelectionClosed"),
    ),
    "return": Keyword(
        "The value of a block; or, as a clause, what becomes of the handled block's own value.",
        ("core0.return", "frame.handler"),
    ),
    "ctl": Keyword("An operation whose clauses decide: they resume, answer or abort."),
    "fun": Keyword("An operation whose clauses resume exactly once, with the value of their body."),
    "effect": Keyword("Declares operations that belong together."),
    "reversible": Keyword("The tier of an operation that the scope undoes."),
    "compensable": Keyword("The tier of an operation that a compensation undoes."),
    "irreversible": Keyword("The tier of an operation that cannot be undone: it is recorded, and gated."),
    "task": Keyword("A program: it has typed parameters and a result, and can be run."),
    "def": Keyword("A computation with parameters; it is inlined where it is called."),
    "handler": Keyword("Clauses with a name; they are inlined where they are used."),
    "type": Keyword("A name for a type."),
    "let": Keyword("Run a computation and bind its value.", ("core0.let",)),
    "if": Keyword("Choose a branch by a boolean.", ("core0.if",)),
    "repeat": Keyword("At most so many rounds that carry a value; expanded by lowering."),
    "for": Keyword("A round for each item of a list; expanded by lowering. Its value lists the rounds'."),
    "do": Keyword("A block with a scope of its own."),
}
"""The keywords that an editor explains."""


def keyword_text(word: str) -> str | None:
    """Return what to tell of a keyword; None if there is nothing to tell."""
    entry = KEYWORDS.get(word)
    if entry is None:
        return None
    parts = [f"`{word}`", entry.meaning]
    if entry.rules:
        parts.append("Rules: " + ", ".join(f"`{rule}`" for rule in entry.rules) + ".")
    if entry.records:
        parts.append("Records: " + ", ".join(f"`{record}`" for record in entry.records) + ".")
    return "\n\n".join(parts)


def definition_text(definition: Definition, source: SourceText) -> str:
    """Return what to tell of a name: how it is declared, and for an operation the record it leaves."""
    parts = [f"```eclogue\n{_signature(definition, source)}\n```"]
    if definition.kind is Kind.OPERATION:
        parts.append("Performing it leaves an `EffectDeclaration` (`core0.perform`).")
    return "\n\n".join(parts)


def _signature(definition: Definition, source: SourceText) -> str:
    """Return the declaration of a name on one line, without its body."""
    node = definition.node
    match node:
        case ast.TaskDeclaration(body=block) | ast.DefDeclaration(body=block):
            return _before(node, block, source)
        case ast.HandlerDeclaration(block=clauses):
            return _before(node, clauses, source)
        case ast.EffectDeclaration(name, operations):
            names = ", ".join(operation.name.text for operation in operations)
            return f"effect {name.text} {{ {names} }}" if names else f"effect {name.text} {{ }}"
        case ast.OperationDeclaration():
            return f"effect {definition.qualifier}: {_one_line(source.excerpt(node.span))}"
        case ast.TypeDeclaration() | ast.Parameter():
            return _one_line(source.excerpt(node.span))
        case ast.ClauseDeclaration(operation=operation):
            return f"{definition.name.text}: a parameter of the clause for {operation}"
        case ast.ReturnClause():
            return f"{definition.name.text}: the value of the handled block"
        case ast.LetStatement(computation=computation):
            return _before(node, computation, source).removesuffix("=").rstrip()
        case ast.RepeatComputation():
            return f"{definition.name.text}: the value that the rounds carry"
        case ast.ForComputation():
            return f"{definition.name.text}: an item of the list"


def _before(node: ast.Declaration | ast.LetStatement, part: object, source: SourceText) -> str:
    """Return the text of a node up to one of its parts."""
    inner = part.span  # type: ignore[attr-defined]
    start = source.offset(node.span.line, node.span.column)
    return _one_line(source.text[start : source.offset(inner.line, inner.column)])


_LONGEST = 400


def _one_line(text: str) -> str:
    """Return a text without its line ends and comments, and not too long for a tooltip."""
    lines = (line.split("#", 1)[0] if '"' not in line else line for line in text.splitlines())
    joined = " ".join(" ".join(lines).split()).removesuffix(";")
    return joined if len(joined) <= _LONGEST else joined[:_LONGEST] + " …"
