"""Canonical bytes of values, and the digests that name them (SPEC §3).

Canonical bytes are RFC 8785 JSON with two differences that make writing total and injective on values:
an int of magnitude 2**53 or more is `{"$int": "<shortest decimal>"}`, and a record key that begins with
`$` gets one more `$`. Record keys stand in code-point order. Writer and reader are iterative.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256

from eclogue.core.errors import LimitExceeded, MalformedInput
from eclogue.core.limits import DEFAULT
from eclogue.core.values import RecordValue, Value, is_text

SAFE_INTEGER = 2**53
"""Ints of smaller magnitude are plain JSON numbers."""

_INT_KEY = "$int"

# ------------------------------------------------------------------------------------------------
# Writing


_ESCAPES: dict[int, str] = {code: f"\\u{code:04x}" for code in range(0x20)} | {
    ord(char): escape
    for char, escape in {
        "\b": "\\b",
        "\t": "\\t",
        "\n": "\\n",
        "\f": "\\f",
        "\r": "\\r",
        '"': '\\"',
        "\\": "\\\\",
    }.items()
}
_NEEDS_ESCAPE = re.compile(r'[\x00-\x1f"\\]')


def quote(text: str) -> str:
    """Return the JSON string literal of a text, in RFC 8785's form."""
    if _NEEDS_ESCAPE.search(text):
        return f'"{text.translate(_ESCAPES)}"'
    return f'"{text}"'


def decimal(number: int) -> str:
    """Return the shortest decimal of an int of any size, in subquadratic work.

    Python's own conversion is quadratic and refuses long ints.
    """
    if -_CHUNK < number < _CHUNK:
        return str(number)
    sign, rest = ("-", -number) if number < 0 else ("", number)
    return sign + "".join(_digits(rest))


_CHUNK_DIGITS = 1024
_CHUNK = 10**_CHUNK_DIGITS


def _digits(number: int) -> Iterator[str]:
    powers = [_CHUNK]  # 10 ** (1024 * 2**i)
    while powers[-1] <= number:
        powers.append(powers[-1] * powers[-1])
    pending = [(number, len(powers) - 1)]
    leading = True
    while pending:
        part, level = pending.pop()
        if level < 0:
            text = str(part)
            if leading and not part:
                continue
            yield text if leading else text.zfill(_CHUNK_DIGITS)
            leading = False
        else:
            high, low = divmod(part, powers[level])
            pending.append((low, level - 1))
            pending.append((high, level - 1))


def integer(digits: str) -> int:
    """Return the int of a decimal of any length (`-?[0-9]+`), in subquadratic work."""
    if len(digits) <= _CHUNK_DIGITS:
        return int(digits)
    negative = digits.startswith("-")
    body = digits[1:] if negative else digits
    first = len(body) % _CHUNK_DIGITS or _CHUNK_DIGITS
    parts = [int(body[:first])]
    parts += [int(body[i : i + _CHUNK_DIGITS]) for i in range(first, len(body), _CHUNK_DIGITS)]
    power = _CHUNK
    while len(parts) > 1:
        if len(parts) % 2:
            parts.insert(0, 0)
        parts = [parts[i] * power + parts[i + 1] for i in range(0, len(parts), 2)]
        power *= power
    return -parts[0] if negative else parts[0]


def text_of(value: Value, limit: int = DEFAULT.value_size) -> str:
    """Return a value's canonical JSON as text (`canonical.write`).

    `limit` is in bytes; raises `LimitExceeded("value_size")` before writing more than that.
    """
    atom = _atom_text(value)
    if atom is None:
        return _container_text(value, limit)
    if len(atom) * 4 > limit and len(atom.encode()) > limit:
        raise LimitExceeded("value_size", limit)
    return atom


def write(value: Value, limit: int = DEFAULT.value_size) -> bytes:
    """Return a value's canonical bytes: `text_of` in UTF-8."""
    return text_of(value, limit).encode()


def _atom_text(value: Value) -> str | None:
    """Return the canonical text of a value without parts, else None."""
    kind = type(value)
    if kind is str:
        return quote(value)  # type: ignore[arg-type]
    if kind is int:
        return _integer_text(value)  # type: ignore[arg-type]
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    return None


def _integer_text(number: int) -> str:
    if -SAFE_INTEGER < number < SAFE_INTEGER:
        return str(number)
    return f'{{"{_INT_KEY}":"{decimal(number)}"}}'


_LONG = 100_000
"""After so many pieces it pays to ask first how large the whole will be."""


def _container_text(value: Value, limit: int) -> str:
    out: list[str] = []
    size = 0
    pending: list[Value | _Raw] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, _Raw):
            piece = item.text
        elif isinstance(item, tuple):
            piece = "["
            pending.append(_CLOSE_LIST)
            _push_items(item, pending)
        elif isinstance(item, RecordValue):
            piece = "{"
            pending.append(_CLOSE_RECORD)
            _push_fields(item, pending)
        else:
            piece = _atom_text(item) or ""
        out.append(piece)
        size += _bytes(piece)
        if size > limit or (len(out) == _LONG and written_size(value) > limit):
            raise LimitExceeded("value_size", limit)
    return "".join(out)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def written_size(value: Value) -> int:
    """Return how many canonical bytes a value has, in time linear in its nodes as they are shared."""
    sizes: dict[int, int] = {}
    pending: list[tuple[Value, bool]] = [(value, False)]
    while pending:
        item, ready = pending.pop()
        if ready:
            sizes[id(item)] = _frame_size(item) + sum(sizes[id(part)] for part in _items(item))
        elif id(item) not in sizes:
            pending.append((item, True))
            pending.extend((part, False) for part in _items(item))
    return sizes[id(value)]


def _items(value: Value) -> Iterable[Value]:
    if isinstance(value, tuple):
        return value
    return value.fields.values() if isinstance(value, RecordValue) else ()


def _frame_size(value: Value) -> int:
    """Return the size of a value's own text: brackets, commas and keys, or all of an atom."""
    if isinstance(value, tuple):
        return 2 + max(0, len(value) - 1)
    if isinstance(value, RecordValue):
        keys = sum(_bytes(quote(escape_key(key))) + 1 for key in value.fields)
        return 2 + max(0, len(value.fields) - 1) + keys
    return _bytes(_atom_text(value) or "")


class _Raw:
    """A piece of text on the writer's stack, between values."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


_COMMA = _Raw(",")
_CLOSE_LIST = _Raw("]")
_CLOSE_RECORD = _Raw("}")


def _push_items(items: tuple[Value, ...], pending: list[Value | _Raw]) -> None:
    for position in range(len(items) - 1, -1, -1):
        pending.append(items[position])
        if position:
            pending.append(_COMMA)


def _push_fields(value: RecordValue, pending: list[Value | _Raw]) -> None:
    last = len(value.fields) - 1
    for position, (key, item) in enumerate(reversed(list(value.fields.items()))):
        pending.append(item)
        comma = "," if position < last else ""
        pending.append(_Raw(f"{comma}{quote(escape_key(key))}:"))


def escape_key(key: str) -> str:
    """Return a record key as it is written: one more `$` in front of a leading `$`."""
    return f"${key}" if key.startswith("$") else key


# ------------------------------------------------------------------------------------------------
# Reading


_TOKEN = re.compile(
    r'[ \t\n\r]*(?:(?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")|(?P<number>-?[0-9][0-9.eE+-]*)'
    r"|(?P<word>true|false|null)|(?P<punctuation>[\[\]{},:]))",
    re.DOTALL,
)
_SPACE = re.compile(r"[ \t\n\r]*")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4})|(.?))', re.DOTALL)
_SIMPLE_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: dict[str, Value] = {"true": True, "false": False, "null": None}


def read(data: bytes | str) -> Value:
    """Return the value whose JSON this is (`canonical.read`).

    Accepts any white space and key order. Raises `MalformedInput`, with the offset in characters, for
    invalid UTF-8, duplicate keys, lone surrogates, fractions, exponents, `-0`, plain ints of magnitude
    2**53 or more, an `$int` that need not be one, and any other key with a single leading `$`.
    """
    text = data if isinstance(data, str) else decode(data)
    return _Reader(text).document()


def decode(data: bytes) -> str:
    """Return the text of UTF-8 bytes; raises `MalformedInput` with the offset of the first bad byte."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedInput(f"invalid UTF-8 at byte {error.start}", error.start) from None


class _OpenList:
    """A list that is being read."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: list[Value] = []


class _OpenRecord:
    """A record that is being read; `key` waits for its value."""

    __slots__ = ("escaped", "fields", "key", "start")

    def __init__(self, start: int) -> None:
        self.fields: dict[str, Value] = {}
        self.key = ""
        self.escaped = False
        self.start = start


class _Reader:
    """An iterative JSON reader: a stack of open containers and a position."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.stack: list[_OpenList | _OpenRecord] = []

    def document(self) -> Value:
        value = self._value()
        self._skip_space()
        if self.position != len(self.text):
            raise MalformedInput("something follows the JSON value", self.position)
        return value

    def _value(self) -> Value:
        while True:
            kind, token, at = self._token()
            if token == "[" and kind == "punctuation":
                self.stack.append(_OpenList())
                if not self._take("]"):
                    continue
                value: Value = self._closed()
            elif token == "{" and kind == "punctuation":
                self.stack.append(_OpenRecord(at))
                if not self._take("}"):
                    self._key()
                    continue
                value = self._closed()
            else:
                value = self._scalar(kind, token, at)
            while self.stack:
                if self._add(value):
                    break
                value = self._closed()
            else:
                return value

    def _add(self, value: Value) -> bool:
        """Add a value to the innermost container; return whether another one follows."""
        top = self.stack[-1]
        kind, token, at = self._token()
        if isinstance(top, _OpenList):
            top.items.append(value)
            if token == "]" and kind == "punctuation":
                return False
        else:
            top.fields[top.key] = value
            if token == "}" and kind == "punctuation":
                return False
        if token != "," or kind != "punctuation":
            closing = "]" if isinstance(top, _OpenList) else "}"
            raise MalformedInput(f"expected ',' or '{closing}'", at)
        if isinstance(top, _OpenRecord):
            self._key()
        return True

    def _closed(self) -> Value:
        top = self.stack.pop()
        if isinstance(top, _OpenList):
            return tuple(top.items)
        if not top.escaped:
            return RecordValue({key: top.fields[key] for key in sorted(top.fields)})
        return self._long_integer(top)

    def _long_integer(self, top: _OpenRecord) -> int:
        digits = top.fields[_INT_KEY]
        if len(top.fields) != 1 or not isinstance(digits, str):
            raise MalformedInput('"$int" stands alone, with a decimal as text', top.start)
        if not _INTEGER.fullmatch(digits) or digits == "-0":
            raise MalformedInput("not the shortest decimal of an integer", top.start)
        number = integer(digits)
        if -SAFE_INTEGER < number < SAFE_INTEGER:
            raise MalformedInput('this integer is small enough to stand without "$int"', top.start)
        return number

    def _key(self) -> None:
        top = self.stack[-1]
        assert isinstance(top, _OpenRecord)
        kind, token, at = self._token()
        if kind != "string":
            raise MalformedInput("expected a record key in quotes", at)
        key = self._string(token, at)
        if key == _INT_KEY:
            top.escaped = True
        elif key.startswith("$$"):
            key = key[1:]
        elif key.startswith("$"):
            raise MalformedInput("a record key that begins with '$' is written with '$$'", at)
        # "$int" escaped as "$$int" is an ordinary key and cannot meet the mark: marks stand alone.
        if key in top.fields or (top.escaped and top.fields):
            raise MalformedInput(f"duplicate or misplaced key {quote(key)}", at)
        top.key = key
        colon = self._token()
        if colon[1] != ":" or colon[0] != "punctuation":
            raise MalformedInput("expected ':' after the key", colon[2])

    def _scalar(self, kind: str, token: str, at: int) -> Value:
        if kind == "string":
            return self._string(token, at)
        if kind == "word":
            return _WORDS[token]
        if kind == "number":
            return _number(token, at)
        raise MalformedInput(f"expected a value, found '{token}'", at)

    def _string(self, token: str, at: int) -> str:
        body = token[1:-1]
        if "\\" in body:
            body = _unescape(body, at)
        if not is_text(body):
            raise MalformedInput("a lone surrogate is not text", at)
        return body

    def _token(self) -> tuple[str, str, int]:
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            self._skip_space()
            raise MalformedInput(self._no_token(), self.position)
        self.position = match.end()
        kind = match.lastgroup or ""
        return kind, match[kind], match.start(kind)

    def _no_token(self) -> str:
        if self.position >= len(self.text):
            return "the JSON ends too early"
        char = self.text[self.position]
        if char == '"':
            return "a string that does not end, or holds a raw control character"
        return f"unexpected character {char!r}"

    def _take(self, char: str) -> bool:
        self._skip_space()
        if self.text.startswith(char, self.position):
            self.position += 1
            return True
        return False

    def _skip_space(self) -> None:
        match = _SPACE.match(self.text, self.position)
        assert match is not None
        self.position = match.end()


def _number(token: str, at: int) -> int:
    if not _INTEGER.fullmatch(token):
        if any(char in token for char in ".eE"):
            raise MalformedInput("fractions and exponents are not values; use text or a scaled int", at)
        raise MalformedInput(f"not a JSON integer: {token[:40]}", at)
    if token == "-0":
        raise MalformedInput("-0 is not an integer", at)
    number = integer(token)
    if not -SAFE_INTEGER < number < SAFE_INTEGER:
        raise MalformedInput('an integer of 2^53 or more is written {"$int": "…"}', at)
    return number


def _unescape(body: str, at: int) -> str:
    def replacement(match: re.Match[str]) -> str:
        simple, code, _ = match.groups()
        if simple is not None:
            return _SIMPLE_ESCAPES.get(simple, simple)
        if code is not None:
            return chr(int(code, 16))
        raise MalformedInput("unknown escape in a string", at + 1 + match.start())

    text = _ESCAPE.sub(replacement, body)
    if is_text(text):
        return text
    # Surrogates that were escaped in pairs join into one scalar; any that remain are refused later.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


# ------------------------------------------------------------------------------------------------
# Digests


def digest(data: bytes) -> str:
    """Return the ref `sha256:<64 hex digits>` of some bytes."""
    return f"sha256:{sha256(data).hexdigest()}"


def commitment(value: Value, salt: bytes = b"", limit: int = DEFAULT.value_size) -> str:
    """Return the digest of the salt and a value's canonical bytes (`canonical.commitment`)."""
    return digest(salt + write(value, limit))
