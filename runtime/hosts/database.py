"""The host `kv`: a table of texts in SQLite, the example of what a compensation undoes.

What is put or removed is undone by putting back what was there, which the result says. The table lies in
the run's own folder, or in the file that the setting `kv` names.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

from eclogue.core.syntax import Tier
from eclogue.core.values import RecordValue, Value, record
from eclogue.runtime.hosts.offers import BOOL, TEXT, CannotCarryOut, Offer, of
from eclogue.runtime.session import Session

_BEFORE = of(had=BOOL, before=TEXT)


def _open(session: Session) -> sqlite3.Connection:
    database = sqlite3.connect(session.folder / "kv.sqlite3", timeout=10.0)
    database.execute("create table if not exists kv (key text primary key, value text not null)")
    return database


def _found(database: sqlite3.Connection, key: str) -> RecordValue:
    row = database.execute("select value from kv where key = ?", (key,)).fetchone()
    return record({"had": row is not None, "before": "" if row is None else str(row[0])})


def _get(session: Session, payload: Value) -> Value:
    with _guard(), closing(_open(session)) as database:
        found = _found(database, str(payload))
    return record({"had": found.fields["had"], "value": found.fields["before"]})


def _put(session: Session, payload: Value) -> Value:
    assert isinstance(payload, RecordValue)
    key, value = str(payload.fields["key"]), str(payload.fields["value"])
    with _guard(), closing(_open(session)) as database, database:
        before = _found(database, key)
        database.execute("insert or replace into kv values (?, ?)", (key, value))
    return before


def _remove(session: Session, payload: Value) -> Value:
    with _guard(), closing(_open(session)) as database, database:
        before = _found(database, str(payload))
        database.execute("delete from kv where key = ?", (str(payload),))
    return before


def _restore(session: Session, payload: Value, result: Value) -> None:
    """Put back what was there before."""
    key = str(payload.fields["key"] if isinstance(payload, RecordValue) else payload)
    assert isinstance(result, RecordValue)
    with _guard(), closing(_open(session)) as database, database:
        if result.fields["had"] is True:
            database.execute("insert or replace into kv values (?, ?)", (key, result.fields["before"]))
        else:
            database.execute("delete from kv where key = ?", (key,))


class _guard:  # noqa: N801 - used as a function
    """Turns errors of the database into operations that cannot be carried out."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, (sqlite3.Error, OSError)):
            raise CannotCarryOut(f"the database: {error}") from None


_OUTSIDE = frozenset({"outside"})

DATABASE = (
    Offer("kv.get", TEXT, of(had=BOOL, value=TEXT), Tier.REVERSIBLE, _get),
    Offer("kv.put", of(key=TEXT, value=TEXT), _BEFORE, Tier.COMPENSABLE, _put, _restore, touches=_OUTSIDE),
    Offer("kv.remove", TEXT, _BEFORE, Tier.COMPENSABLE, _remove, _restore, touches=_OUTSIDE),
)
