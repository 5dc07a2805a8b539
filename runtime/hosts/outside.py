"""The hosts `model` and `http`: what leaves the machine, and cannot be taken back.

A *scripted* model answers from a file, for tests and demonstrations: it is the same interface, and the
run's notes say that it was scripted. `http` asks only hosts that the run was allowed to ask.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from eclogue.core.syntax import Tier
from eclogue.core.values import Value
from eclogue.runtime.hosts.offers import BOOL, INT, TEXT, CannotCarryOut, Offer, failed, of, worked
from eclogue.runtime.session import Session

_SECONDS = 120.0
_LARGEST = 16 << 20


def _call(session: Session, payload: Value) -> Value:
    prompt, settings = str(payload), session.settings
    if settings.model_script is not None:
        return _scripted(session, prompt)
    if settings.model_url is None:
        raise CannotCarryOut("no model is set: give --model URL, or --model-script FILE")
    body = {"model": settings.model_name, "messages": [{"role": "user", "content": prompt}]}
    headers = {"Content-Type": "application/json"}
    key = os.environ.get(settings.model_key_variable)
    if key:
        headers["Authorization"] = f"Bearer {key}"
    url = settings.model_url.rstrip("/") + "/chat/completions"
    found = _asked(urllib.request.Request(url, json.dumps(body).encode(), headers))
    try:
        return str(json.loads(found)["choices"][0]["message"]["content"])
    except (ValueError, KeyError, IndexError, TypeError):
        raise CannotCarryOut("the model's answer is not of the form that was asked for") from None


def _scripted(session: Session, prompt: str) -> str:
    """Return the next answer of a script: a list of texts, or of {"prompt": …, "answer": …}."""
    path = session.settings.model_script or ""
    try:
        script: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        entries = [item if isinstance(item, dict) else {"answer": item} for item in script]
        used = session.kept.setdefault("model", 0)
        assert isinstance(used, int)
        entry = entries[used]
        if "prompt" in entry and entry["prompt"] not in prompt:
            raise CannotCarryOut(f"{path}: answer {used} is for a prompt with {entry['prompt']!r}")
        answer = str(entry["answer"])
    except IndexError:
        raise CannotCarryOut(f"{path}: the script has no more answers") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CannotCarryOut(f"{path}: it is no script of a model: {error}") from None
    session.kept["model"] = used + 1
    return answer


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow none: the other host may not be one that is allowed."""
        return


def _asked(request: urllib.request.Request) -> bytes:
    opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=_SECONDS) as answer:
            data: bytes = answer.read(_LARGEST)
            return data
    except (OSError, ValueError) as error:
        raise CannotCarryOut(f"{request.full_url}: {error}") from None


def _get(session: Session, payload: Value) -> Value:
    url = str(payload)
    host = urlsplit(url).hostname or ""
    if urlsplit(url).scheme not in ("http", "https") or host not in session.settings.allowed_hosts:
        raise CannotCarryOut(f"{host or url!r} is not among the hosts that may be asked (--allow-host)")
    opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=_SECONDS) as answer:
            text = answer.read(_LARGEST).decode("utf-8", "replace")
            return worked(status=int(answer.status), text=text)
    except urllib.error.HTTPError as error:
        return failed(f"status {error.code}", status=error.code, text="")
    except (OSError, ValueError) as error:
        return failed(str(error), status=0, text="")


OUTSIDE = (
    Offer("model.call", TEXT, TEXT, Tier.IRREVERSIBLE, _call, touches=frozenset({"outside"})),
    Offer(
        "http.get",
        TEXT,
        of(ok=BOOL, error=TEXT, status=INT, text=TEXT),
        Tier.IRREVERSIBLE,
        _get,
        plain="text",
        touches=frozenset({"outside"}),
    ),
)
