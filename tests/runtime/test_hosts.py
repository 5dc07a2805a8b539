"""Hosts that reach outside, on a server of this test's own; and a host of a user's own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from eclogue.core.schema import Atom, ListSchema
from eclogue.core.syntax import Operation, Tier
from eclogue.core.values import Value, record
from eclogue.runtime.hosts.offers import CannotCarryOut, Offer, failed, fits, of, projected, worked
from eclogue.runtime.hosts.registry import BUILT_IN, with_own
from eclogue.runtime.patches import PatchRefused, patched
from eclogue.runtime.sandbox.interface import SandboxError
from eclogue.runtime.scope import World
from eclogue.runtime.session import Session, Settings


class Answering(BaseHTTPRequestHandler):
    """Answers as a model's endpoint does, and with pages."""

    asked: ClassVar[list[Any]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, self.headers.get("Authorization"), body))
        answer = {"choices": [{"message": {"content": "echo: " + body["messages"][0]["content"]}}]}
        self.send(200, json.dumps({} if body["model"] == "broken" else answer))

    def do_GET(self) -> None:
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://example.org/")
            self.end_headers()
        else:
            self.send(200 if self.path == "/page" else 404, "text")

    def send(self, code: int, text: str) -> None:
        self.send_response(code)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def server() -> Iterator[str]:
    Answering.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    (tmp_path / "base").mkdir()
    with World.create(tmp_path / "base", tmp_path / "state", provider="copy") as made:
        yield made


def call(world: World, name: str, payload: Value, **settings: Any) -> Value:
    return BUILT_IN[name].act(Session(world, Settings(**settings), world.state), payload)


def test_a_model_is_asked_by_the_chat_interface(
    server: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert call(world, "model.call", "hello", model_url=f"{server}/v1", model_name="m") == "echo: hello"
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    assert Answering.asked == [("/v1/chat/completions", "Bearer secret", body)]


def test_a_model_that_does_not_answer_leaves_no_outcome(server: str, world: World) -> None:
    with pytest.raises(CannotCarryOut, match="no model is set"):
        call(world, "model.call", "hello")
    with pytest.raises(CannotCarryOut, match="not of the form"):
        call(world, "model.call", "hello", model_url=server, model_name="broken")
    with pytest.raises(CannotCarryOut, match="refused"):
        call(world, "model.call", "hello", model_url="http://127.0.0.1:1")


def test_only_allowed_hosts_are_asked_and_no_redirection_is_followed(server: str, world: World) -> None:
    page = call(world, "http.get", f"{server}/page", allowed_hosts=("127.0.0.1",))
    assert page == worked(status=200, text="text")
    missing = call(world, "http.get", f"{server}/missing", allowed_hosts=("127.0.0.1",))
    assert missing == failed("status 404", status=404, text="")
    away = call(world, "http.get", f"{server}/away", allowed_hosts=("127.0.0.1",))
    assert away == failed("status 302", status=302, text="")
    for url in (f"{server}/page", "file:///etc/passwd", "http://", "no url"):
        with pytest.raises(CannotCarryOut, match="may be asked"):
            call(world, "http.get", url, allowed_hosts=("example.org",))


def test_numbers_come_from_the_seed_and_time_goes_on(world: World) -> None:
    both = [
        [BUILT_IN["random.between"].act(session, record({"low": 1, "high": 6})) for _ in range(20)]
        for session in (Session(world, Settings(seed=7), world.state) for _ in range(2))
    ]
    assert both[0] == both[1]
    assert set(both[0]) <= set(range(1, 7))
    assert isinstance(call(world, "clock.now", None), int)
    with pytest.raises(CannotCarryOut):
        call(world, "random.between", record({"low": 2, "high": 1}))


def test_only_named_variables_are_seen(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWN", "1")
    monkeypatch.setenv("HIDDEN", "2")
    assert call(world, "env.get", "SHOWN", environment=("SHOWN",)) == worked(value="1")
    assert call(world, "env.get", "HIDDEN", environment=("SHOWN",)) == failed(
        "not set, or not shown to this run", value=""
    )
    with pytest.raises(CannotCarryOut, match="nobody is there"):
        call(world, "ask.yes", "well?")


# ------------------------------------------------------------------------------------------------
# Types


def declared(payload: Any, result: Any) -> Operation:
    return Operation("x.y", payload, result, Tier.REVERSIBLE)


def test_a_program_may_declare_a_part_of_a_result() -> None:
    read = BUILT_IN["fs.read"]
    assert read.accepts(declared(Atom.TEXT, Atom.TEXT)) is None
    assert read.accepts(declared(Atom.TEXT, of(ok=Atom.BOOL))) is None
    assert read.accepts(declared(Atom.TEXT, Atom.ANY)) is None
    assert read.accepts(declared(Atom.TEXT, Atom.INT)) is not None
    assert read.accepts(declared(Atom.INT, Atom.TEXT)) is not None
    assert read.accepts(declared(Atom.TEXT, of(other=Atom.TEXT))) is not None
    given = worked(text="content")
    assert read.answer(declared(Atom.TEXT, Atom.TEXT), given) == "content"
    assert read.answer(declared(Atom.TEXT, of(ok=Atom.BOOL)), given) == record({"ok": True})
    with pytest.raises(CannotCarryOut, match="ENOENT"):
        read.answer(declared(Atom.TEXT, Atom.TEXT), failed("ENOENT", text=""))


def test_what_fits_is_projected_to_what_is_wanted() -> None:
    given, wanted = (
        of(a=Atom.INT, b=ListSchema(of(c=Atom.TEXT, d=Atom.INT))),
        of(b=ListSchema(of(c=Atom.TEXT))),
    )
    assert fits(given, wanted)
    assert not fits(wanted, given)
    value = record({"a": 1, "b": (record({"c": "x", "d": 2}),)})
    assert projected(value, wanted) == record({"b": (record({"c": "x"}),)})


OWN = """
from eclogue.core.syntax import Tier
from eclogue.runtime.hosts.offers import INT, Offer
OFFERS = (Offer("math.double", INT, INT, Tier.REVERSIBLE, lambda _, number: 2 * number),)
"""


def test_a_host_of_ones_own_is_a_few_lines(tmp_path: Path, world: World) -> None:
    path = tmp_path / "own.py"
    path.write_text(OWN)
    offer = with_own([str(path)])["math.double"]
    assert isinstance(offer, Offer)
    assert offer.act(Session(world, Settings(), world.state), 21) == 42


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("OFFERS = ()", "has no OFFERS"),
        ("OFFERS = (1,)", "has no OFFERS"),
        ("raise ValueError('oops')", "ValueError: oops"),
        (OWN.replace("math.double", "fs.read"), "fs.read is offered already"),
    ],
)
def test_a_host_that_is_none_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(text)
    with pytest.raises(SandboxError, match=says):
        with_own([str(path)])


# ------------------------------------------------------------------------------------------------
# Patches


def test_patches_are_those_of_difflib() -> None:
    import difflib
    from random import Random

    for seed in range(200):
        rng = Random(seed)
        old = [f"{rng.randrange(4)}\n" for _ in range(rng.randrange(12))]
        new = [line for line in old if rng.random() < 0.8]
        for _ in range(rng.randrange(3)):
            new.insert(rng.randrange(len(new) + 1), f"new {rng.randrange(9)}\n")
        patch = "".join(difflib.unified_diff(old, new, "a", "b", n=rng.randrange(4)))
        if patch:
            assert patched("".join(old), patch) == "".join(new), seed


def test_a_patch_that_does_not_fit_is_refused() -> None:
    patch = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert patched("a\nb\n", patch) == "a\nc\n"
    assert patched("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n") == "a\nc\n"
    for text, bad in (
        ("a\nx\n", patch),
        ("a\nb\n", "@@ -1,2 +1,2 @@\n a\n"),
        ("a\n", "nothing"),
        ("", patch),
    ):
        with pytest.raises(PatchRefused):
            patched(text, bad)
