"""The language server, asked by a client over its standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.client import LanguageClient

URI = "file:///program.ecl"
DOCUMENT = lsp.TextDocumentIdentifier(URI)
TEXT = (
    "effect model { irreversible ctl call(prompt: Text): Text }\n"
    "task main(): Text / {model} {\n"
    '  let reply = perform model.call("a\U0001f600" ++ "b"); reply\n'
    "}\n"
)


class Client:
    """A client with one document."""

    def __init__(self) -> None:
        self.own = LanguageClient("test", "1")
        self.told: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.version = 1

        @self.own.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: lsp.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(params)

    async def open(self, text: str) -> tuple[lsp.Diagnostic, ...]:
        item = lsp.TextDocumentItem(URI, "eclogue", self.version, text)
        self.own.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return await self.diagnostics()

    async def insert(self, line: int, character: int, text: str) -> tuple[lsp.Diagnostic, ...]:
        self.version += 1
        place = lsp.Position(line, character)
        change = lsp.TextDocumentContentChangePartial(lsp.Range(place, place), text)
        document = lsp.VersionedTextDocumentIdentifier(self.version, URI)
        self.own.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
        return await self.diagnostics()

    async def diagnostics(self) -> tuple[lsp.Diagnostic, ...]:
        return tuple((await asyncio.wait_for(self.told.get(), 30)).diagnostics)


@asynccontextmanager
async def server(encoding: lsp.PositionEncodingKind | None = None) -> AsyncIterator[Client]:
    client = Client()
    await client.own.start_io(sys.executable, "-c", "from eclogue.cli.main import main; main(['lsp'])")
    general = lsp.GeneralClientCapabilities(position_encodings=[encoding] if encoding else None)
    capabilities = lsp.ClientCapabilities(general=general)
    await client.own.initialize_async(
        lsp.InitializeParams(capabilities=capabilities, root_uri=None, process_id=None)
    )
    client.own.initialized(lsp.InitializedParams())
    try:
        yield client
    finally:
        await client.own.shutdown_async(None)
        client.own.exit(None)
        await client.own.stop()


def asked(
    ask: Callable[[Client], Awaitable[None]], encoding: lsp.PositionEncodingKind | None = None
) -> None:
    async def session() -> None:
        async with server(encoding) as client:
            await ask(client)

    asyncio.run(session())


def test_diagnostics_come_and_go_as_one_types() -> None:
    async def ask(client: Client) -> None:
        assert await client.open(TEXT) == ()
        (item,) = await client.insert(2, 2, "let ; ")
        assert (item.code, item.severity) == ("EC0201", lsp.DiagnosticSeverity.Error)
        assert item.range.start == lsp.Position(2, 6)
        client.own.text_document_did_close(lsp.DidCloseTextDocumentParams(DOCUMENT))
        assert await client.diagnostics() == ()

    asked(ask)


def test_a_diagnostic_has_its_hint_and_its_other_places() -> None:
    async def ask(client: Client) -> None:
        (item,) = await client.open(TEXT.replace(" / {model}", " / {}"))
        assert item.code == "EC2001"
        assert "hint: handle it, or add `model.call` to the row" in item.message
        assert [each.message for each in item.related_information or ()] == ["the row of `main` is here"]

    asked(ask)


@pytest.mark.parametrize(
    ("encoding", "column"),
    [(None, 48), (lsp.PositionEncodingKind.Utf32, 47), (lsp.PositionEncodingKind.Utf8, 50)],
)
def test_places_are_counted_as_the_client_counts(
    encoding: lsp.PositionEncodingKind | None, column: int
) -> None:
    """The line has a character that is one, two or four units."""

    async def ask(client: Client) -> None:
        await client.open(TEXT)
        use = lsp.Position(2, column)
        found = await client.own.text_document_definition_async(lsp.DefinitionParams(DOCUMENT, use))
        assert isinstance(found, lsp.Location)
        assert found.range == lsp.Range(lsp.Position(2, 6), lsp.Position(2, 11))
        places = await client.own.text_document_references_async(
            lsp.ReferenceParams(lsp.ReferenceContext(include_declaration=False), DOCUMENT, use)
        )
        assert [item.range.start for item in places or ()] == [lsp.Position(2, column)]

    asked(ask, encoding)


def test_hover_tells_of_names_and_of_keywords() -> None:
    async def ask(client: Client) -> None:
        await client.open(TEXT)
        for character, told in ((28, "ctl call(prompt: Text): Text"), (16, "`core0.perform`")):
            params = lsp.HoverParams(DOCUMENT, lsp.Position(2, character))
            hover = await client.own.text_document_hover_async(params)
            assert hover is not None
            assert isinstance(hover.contents, lsp.MarkupContent)
            assert told in hover.contents.value
        nothing = lsp.HoverParams(DOCUMENT, lsp.Position(99, 0))
        assert await client.own.text_document_hover_async(nothing) is None

    asked(ask)


def test_renaming_changes_every_place_or_is_refused() -> None:
    async def ask(client: Client) -> None:
        await client.open(TEXT)
        place = lsp.Position(2, 8)
        edit = await client.own.text_document_rename_async(lsp.RenameParams(DOCUMENT, place, "text"))
        assert edit is not None
        assert edit.changes is not None
        assert [(each.range.start.character, each.new_text) for each in edit.changes[URI]] == [
            (6, "text"),
            (48, "text"),
        ]
        with pytest.raises(JsonRpcInvalidParams, match="cannot be a name"):
            await client.own.text_document_rename_async(lsp.RenameParams(DOCUMENT, place, "let"))

    asked(ask)


def test_formatting_gives_the_one_layout_or_leaves_a_broken_text_alone() -> None:
    async def ask(client: Client) -> None:
        await client.open("task main( ):Int{1}")
        params = lsp.DocumentFormattingParams(DOCUMENT, lsp.FormattingOptions(2, insert_spaces=True))
        (edit,) = await client.own.text_document_formatting_async(params) or ()
        assert edit.new_text == "task main(): Int { 1 }\n"
        await client.insert(0, 0, "{")
        assert await client.own.text_document_formatting_async(params) is None

    asked(ask)


def test_operations_are_offered_while_the_text_is_not_finished() -> None:
    async def ask(client: Client) -> None:
        await client.open(TEXT)
        await client.insert(2, 2, "perform model.")
        for character, expected in ((16, {"call"}), (2, {"model", "main", "perform", "reply"})):
            params = lsp.CompletionParams(DOCUMENT, lsp.Position(2, character))
            found = await client.own.text_document_completion_async(params)
            assert isinstance(found, lsp.CompletionList)
            labels = {item.label for item in found.items}
            assert labels == expected if len(expected) == 1 else labels >= expected

    asked(ask)


def test_symbols_are_the_declarations() -> None:
    async def ask(client: Client) -> None:
        await client.open(TEXT)
        found = await client.own.text_document_document_symbol_async(lsp.DocumentSymbolParams(DOCUMENT))
        symbols = [item for item in found or () if isinstance(item, lsp.DocumentSymbol)]
        assert [(item.name, [each.name for each in item.children or ()]) for item in symbols] == [
            ("model", ["call"]),
            ("main", []),
        ]

    asked(ask)


def test_a_server_without_its_library_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from eclogue.cli.main import main

    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.delitem(sys.modules, "eclogue.cli.language_server", raising=False)
    for name in [name for name in sys.modules if name.startswith("pygls.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit) as ended:
        main(["lsp"])
    assert ended.value.code == 2
    assert "pip install '.[lsp]'" in capsys.readouterr().err


def test_every_example_is_without_errors_for_an_editor() -> None:
    examples = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.ecl"))

    async def ask(client: Client) -> None:
        for path in examples:
            found = await client.open(path.read_text(encoding="utf-8"))
            errors = [item for item in found if item.severity is lsp.DiagnosticSeverity.Error]
            assert errors == [], path.name
            client.own.text_document_did_close(lsp.DidCloseTextDocumentParams(DOCUMENT))
            await client.diagnostics()

    asked(ask)
