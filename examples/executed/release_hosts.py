"""A host of one's own: it offers mail, and for this example only writes what it would send to a file."""

from eclogue.core.syntax import Tier
from eclogue.core.values import RecordValue, Value
from eclogue.runtime.hosts.offers import TEXT, UNIT, Offer, of
from eclogue.runtime.session import Session


def send(session: Session, payload: Value) -> Value:
    """Send a letter, which nobody can take back."""
    assert isinstance(payload, RecordValue)
    with (session.folder / "sent.txt").open("a", encoding="utf-8") as file:
        file.write(f"{payload.fields['to']}: {payload.fields['text']}\n")
    return None


OFFERS = (Offer("mail.send", of(to=TEXT, text=TEXT), UNIT, Tier.IRREVERSIBLE, send),)
