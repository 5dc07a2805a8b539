"""Constructs that the development must not use: each could make a check pass that means nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eclogue.lean.lexer import Token
from eclogue.lean.problems import Problem
from eclogue.lean.sources import Layout, Module


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HOLES = _names(
    "sorry admit axiom opaque unsafe partial native_decide native initialize builtin_initialize"
)
"""Holes, assumptions, and code that the kernel never sees."""
_SYNTAX = _names(
    "macro macro_rules syntax declare_syntax_cat notation notation3 infix infixl infixr prefix postfix "
    "elab elab_rules run_cmd run_meta run_elab run_tac unif_hint simproc include_str"
)
"""Syntax and programs of one's own: a statement must be what it looks like."""
_HIDDEN = _names("private")
"""Names that an audit could not ask for."""
_KEYWORDS = _HOLES | _SYNTAX | _HIDDEN
_PARTS = _names(
    "sorryAx skipKernelTC reduceBool reduceNat ofReduceBool ofReduceNat trustCompiler lcProof "
    "implemented_by csimp"
)
"""Parts of names that are refused wherever they occur."""
_ATTRIBUTES = _names(
    "match_pattern macro_inline inline reducible default_instance gen_constructor_elims instance"
)
_COMMANDS = frozenset({"print", "check"})
_OPTIONS = _names(
    "maxRecDepth maxHeartbeats exponentiation.threshold smartUnfolding linter.unusedSectionVars"
)
_FOUNDATION_OPTIONS = frozenset(
    {
        "bootstrap.inductiveCheckResultingUniverse",
        "bootstrap.genMatcherCode",
        "genCtorIdx",
        "linter.defProp",
        "linter.unusedVariables",
    }
)
_FOUNDATION_WORDS = frozenset({"extern", "init_quot"})


def banned_constructs(module: Module, layout: Layout) -> Iterator[Problem]:
    """Yield a problem for each construct of a module that the development must not use."""
    foundation = module.name == layout.foundation
    words = module.tokens
    for position, token in enumerate(words):
        reason = None
        if token.text == "import" and position > 2 * len(module.imports):
            reason = "an import behind the header"
        elif token.is_word:
            reason = _word(words, position, foundation)
        elif token.text == "#":
            reason = _command(words, position)
        elif token.text == "[" and position and words[position - 1].text in ("@", "attribute"):
            reason = _attributes(words, position, foundation)
        if reason is not None:
            yield Problem("module.banned", module.name, f"line {token.line}: {reason}")


def _word(words: Sequence[Token], position: int, foundation: bool) -> str | None:
    text = words[position].text
    if text in _KEYWORDS:
        return f"`{text}` is not allowed"
    if not _PARTS.isdisjoint(text.replace("«", "").replace("»", "").split(".")):
        return f"`{text}` is not allowed"
    if text in _FOUNDATION_WORDS and not foundation:
        return f"`{text}` is allowed in the foundation only"
    if text == "set_option":
        option = words[position + 1].text if position + 1 < len(words) else ""
        if option not in _OPTIONS and not (foundation and option in _FOUNDATION_OPTIONS):
            return f"the option `{option}` may not be set here"
    return None


def _command(words: Sequence[Token], position: int) -> str | None:
    name = words[position + 1].text if position + 1 < len(words) else ""
    return None if name in _COMMANDS else f"the command `#{name}` is not allowed"


def _attributes(words: Sequence[Token], position: int, foundation: bool) -> str | None:
    """Look at the attributes in brackets: the word after the opening one and after each comma."""
    for before, token in zip(words[position:], words[position + 1 :], strict=False):
        if before.text == "]":
            break
        if before.text in ("[", ",") and token.text != "]":
            allowed = token.text in _ATTRIBUTES or (foundation and token.text in _FOUNDATION_WORDS)
            if not allowed:
                return f"the attribute `{token.text}` is not allowed"
    return None
