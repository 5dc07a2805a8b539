"""The language server: diagnostics, hover, definitions, renaming, formatting, symbols, completion.

It speaks the Language Server Protocol over standard input and output, through pygls (the extra `lsp`).
"""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec

from eclogue.cli.version import version_text
from eclogue.core.syntax import Span
from eclogue.lowering import ast
from eclogue.lowering.analysis import Analysis, RenameRefused, analyse, renaming
from eclogue.lowering.diagnostics import Diagnostic, Severity, SourceText
from eclogue.lowering.formatter import format_parsed
from eclogue.lowering.hover import KEYWORDS, definition_text, keyword_text
from eclogue.lowering.occurrences import Definition, Kind, Occurrence

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
}
_SYMBOLS = {
    Kind.EFFECT: lsp.SymbolKind.Interface,
    Kind.OPERATION: lsp.SymbolKind.Method,
    Kind.TYPE: lsp.SymbolKind.Struct,
    Kind.TASK: lsp.SymbolKind.Function,
    Kind.DEF: lsp.SymbolKind.Function,
    Kind.HANDLER: lsp.SymbolKind.Object,
}
_COMPLETIONS = {
    Kind.EFFECT: lsp.CompletionItemKind.Interface,
    Kind.OPERATION: lsp.CompletionItemKind.Method,
    Kind.TYPE: lsp.CompletionItemKind.Struct,
    Kind.TASK: lsp.CompletionItemKind.Function,
    Kind.DEF: lsp.CompletionItemKind.Function,
    Kind.HANDLER: lsp.CompletionItemKind.Value,
    Kind.VARIABLE: lsp.CompletionItemKind.Variable,
}


class Places:
    """Places in a text, as the client counts them (usually in units of UTF-16) and as spans do."""

    def __init__(self, source: SourceText, codec: PositionCodec) -> None:
        self.source = source
        self.codec = codec

    def position(self, line: int, column: int) -> lsp.Position:
        """Return a line and column, from 1, as the client counts them."""
        before = self.source.line(line)[: column - 1]
        return lsp.Position(line - 1, self.codec.client_num_units(before))

    def range(self, span: Span | None) -> lsp.Range:
        """Return a span as a range; without one, the beginning of the text."""
        if span is None:
            return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        return lsp.Range(
            self.position(span.line, span.column), self.position(span.end_line, span.end_column)
        )

    def place(self, position: lsp.Position) -> tuple[int, int] | None:
        """Return the line and column of a position, from 1; None for one outside the text."""
        if position.line >= len(self.source.line_starts):
            return None
        column, units = 1, 0
        for char in self.source.line(position.line + 1):
            units += self.codec.client_num_units(char)
            if units > position.character:
                break
            column += 1
        return position.line + 1, column


class Server(LanguageServer):
    """The server, with what it found out about each open document and version."""

    def __init__(self) -> None:
        super().__init__("eclogue", version_text())
        self._analyses: dict[str, tuple[str, Analysis]] = {}
        self._readable: dict[str, Analysis] = {}

    def analysis(self, uri: str) -> Analysis:
        """Return what is known of a document as it stands."""
        text = self.workspace.get_text_document(uri).source
        known = self._analyses.get(uri)
        if known is not None and known[0] == text:
            return known[1]
        found = analyse(SourceText(to_fs_path(uri) or uri, text))
        self._analyses[uri] = (text, found)
        if found.tree is not None:
            self._readable[uri] = found
        return found

    def readable(self, uri: str) -> Analysis:
        """Return what is known of a document from when it last had no syntax errors, if it ever did."""
        found = self.analysis(uri)
        return self._readable.get(uri, found)

    def places(self, uri: str) -> Places:
        """Return the places of a document."""
        return Places(self.analysis(uri).source, self.workspace.get_text_document(uri).position_codec)

    def occurrence(self, uri: str, position: lsp.Position) -> Occurrence | None:
        """Return the name at a position, if what it stands for is known."""
        names = self.analysis(uri).names
        place = self.places(uri).place(position)
        return None if names is None or place is None else names.at(*place)

    def forget(self, uri: str) -> None:
        """Forget a document that was closed."""
        self._analyses.pop(uri, None)
        self._readable.pop(uri, None)


def make_server() -> Server:
    """Return a server, ready to be started."""
    analyse(SourceText("", ""))  # so that the first document does not wait for the parser's tables
    server = Server()
    for feature, handler in _FEATURES:
        server.feature(feature)(handler)
    server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["."]))(_complete)
    server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))(_rename)
    return server


# ------------------------------------------------------------------------------------------------
# Diagnostics


def _changed(
    server: Server, params: lsp.DidOpenTextDocumentParams | lsp.DidChangeTextDocumentParams
) -> None:
    uri = params.text_document.uri
    places = server.places(uri)
    found = [_diagnostic(item, places, uri) for item in server.analysis(uri).diagnostics]
    server.text_document_publish_diagnostics(
        lsp.PublishDiagnosticsParams(uri, found, params.text_document.version)
    )


def _closed(server: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.forget(uri)
    server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _diagnostic(item: Diagnostic, places: Places, uri: str) -> lsp.Diagnostic:
    plain = [text for span, text in item.notes if span is None]
    message = "\n".join((item.message, *plain, *([] if item.hint is None else [f"hint: {item.hint}"])))
    related = [
        lsp.DiagnosticRelatedInformation(lsp.Location(uri, places.range(span)), text)
        for span, text in item.notes
        if span is not None
    ]
    return lsp.Diagnostic(
        places.range(item.span),
        message,
        _SEVERITIES[item.severity],
        item.code,
        source="eclogue",
        related_information=related or None,
    )


# ------------------------------------------------------------------------------------------------
# Names


def _hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    uri = params.text_document.uri
    analysis, places = server.analysis(uri), server.places(uri)
    found = server.occurrence(params.text_document.uri, params.position)
    if found is not None:
        text = definition_text(found.definition, analysis.source)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), places.range(found.span))
    place = places.place(params.position)
    if place is None:
        return None
    known = keyword_text(_word(analysis.source.line(place[0]), place[1] - 1))
    return None if known is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, known))


def _word(line: str, index: int) -> str:
    """Return the word around an index of a line."""
    start = end = index
    while start > 0 and (line[start - 1].isalnum() or line[start - 1] == "_"):
        start -= 1
    while end < len(line) and (line[end].isalnum() or line[end] == "_"):
        end += 1
    return line[start:end]


def _definition(server: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
    found = server.occurrence(params.text_document.uri, params.position)
    if found is None:
        return None
    uri = params.text_document.uri
    return lsp.Location(uri, server.places(uri).range(found.definition.name.span))


def _references(server: Server, params: lsp.ReferenceParams) -> list[lsp.Location] | None:
    found = server.occurrence(params.text_document.uri, params.position)
    names = server.analysis(params.text_document.uri).names
    if found is None or names is None:
        return None
    uri = params.text_document.uri
    places = server.places(uri)
    own = None if params.context.include_declaration else found.definition.name.span
    return [
        lsp.Location(uri, places.range(item.span))
        for item in names.of(found.definition)
        if item.span is not own
    ]


def _prepare_rename(server: Server, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    found = server.occurrence(params.text_document.uri, params.position)
    return None if found is None else server.places(params.text_document.uri).range(found.span)


def _rename(server: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    found = server.occurrence(params.text_document.uri, params.position)
    if found is None:
        return None
    uri = params.text_document.uri
    places = server.places(uri)
    try:
        edits = renaming(server.analysis(uri), found, params.new_name)
    except RenameRefused as error:
        raise JsonRpcInvalidParams(str(error)) from None
    return lsp.WorkspaceEdit({uri: [lsp.TextEdit(places.range(item.span), new) for item, new in edits]})


# ------------------------------------------------------------------------------------------------
# The whole document


def _format(server: Server, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
    uri = params.text_document.uri
    analysis = server.analysis(uri)
    source = analysis.source
    if analysis.tree is None:
        return None
    text = format_parsed(source)
    whole = source.span(0, len(source.text))
    return [] if text == source.text else [lsp.TextEdit(server.places(uri).range(whole), text)]


def _symbols(server: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol] | None:
    uri = params.text_document.uri
    tree = server.analysis(uri).tree
    if tree is None:
        return None
    places = server.places(uri)
    return [_symbol(declaration, places) for declaration in tree.declarations]


def _symbol(node: ast.Declaration | ast.OperationDeclaration, places: Places) -> lsp.DocumentSymbol:
    kind = _SYMBOLS[_NODE_KINDS[type(node)]]
    inner = node.operations if isinstance(node, ast.EffectDeclaration) else ()
    children = [_symbol(operation, places) for operation in inner]
    return lsp.DocumentSymbol(
        node.name.text, kind, places.range(node.span), places.range(node.name.span), children=children
    )


_NODE_KINDS: dict[type, Kind] = {
    ast.EffectDeclaration: Kind.EFFECT,
    ast.OperationDeclaration: Kind.OPERATION,
    ast.TypeDeclaration: Kind.TYPE,
    ast.TaskDeclaration: Kind.TASK,
    ast.DefDeclaration: Kind.DEF,
    ast.HandlerDeclaration: Kind.HANDLER,
}


def _complete(server: Server, params: lsp.CompletionParams) -> lsp.CompletionList:
    """Offer the operations behind `effect.`, else keywords and names, from when the text could be read."""
    uri = params.text_document.uri
    analysis, places = server.analysis(uri), server.places(uri)
    place = places.place(params.position)
    before = "" if place is None else analysis.source.line(place[0])[: place[1] - 1]
    effect = _effect_before(before)
    items = [
        lsp.CompletionItem(
            definition.name.text, kind=_COMPLETIONS[definition.kind], detail=definition.title
        )
        for definition in _offered(server.readable(uri), effect)
    ]
    if effect is None:
        items += [lsp.CompletionItem(word, kind=lsp.CompletionItemKind.Keyword) for word in KEYWORDS]
    return lsp.CompletionList(is_incomplete=False, items=items)


def _item(definition: Definition) -> lsp.CompletionItem:
    kind = _COMPLETIONS[definition.kind]
    return lsp.CompletionItem(definition.name.text, kind=kind, detail=definition.title)


def _effect_before(text: str) -> str | None:
    """Return the name before a dot at the end of a text, or before a dot and part of a name."""
    head = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
    return _word(head, len(head) - 1) if head.endswith(".") else None


def _offered(analysis: Analysis, effect: str | None) -> Iterator[Definition]:
    seen: set[tuple[Kind, str]] = set()
    for definition in () if analysis.names is None else analysis.names.definitions():
        key = (definition.kind, definition.title)
        if definition.qualifier == effect and key not in seen:
            seen.add(key)
            yield definition


_FEATURES = (
    (lsp.TEXT_DOCUMENT_DID_OPEN, _changed),
    (lsp.TEXT_DOCUMENT_DID_CHANGE, _changed),
    (lsp.TEXT_DOCUMENT_DID_CLOSE, _closed),
    (lsp.TEXT_DOCUMENT_HOVER, _hover),
    (lsp.TEXT_DOCUMENT_DEFINITION, _definition),
    (lsp.TEXT_DOCUMENT_REFERENCES, _references),
    (lsp.TEXT_DOCUMENT_PREPARE_RENAME, _prepare_rename),
    (lsp.TEXT_DOCUMENT_FORMATTING, _format),
    (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _symbols),
)
