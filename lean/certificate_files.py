"""A certificate in a folder: its Lean files, the manifest, and how to check it with Lean alone.

    MANIFEST.json  README.txt  check.sh  EclogueRun/Certificate.lean …

`README.txt` and `check.sh` are for people who do not trust Eclogue's Python, or have none; nothing here
reads them. What is read is the manifest and the files that it names, with the digests that it gives.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from eclogue.core.errors import MalformedInput
from eclogue.core.profiles import Profile
from eclogue.lean.certificate import FORMAT, Certificate, file_name, text_digest
from eclogue.lean.certificate_terms import LIBRARY
from eclogue.lean.sources import read_package
from eclogue.lean.toolchain import COMMIT, VERSION

MANIFEST = "MANIFEST.json"
README = "README.txt"
SCRIPT = "check.sh"
_LARGEST = 256 << 20
"""Bytes of one file; more is refused unread."""
_FILE = re.compile(rf"{LIBRARY}/[A-Z][A-Za-z0-9]*\.lean")


def not_for_certificates(directory: Path) -> str | None:
    """Return why nothing may be written to a folder: it has files that are not an earlier certificate's.

    None for one that is empty or not there, or holds a certificate and nothing else. Raises `OSError`.
    """
    if not directory.exists():
        return None
    if not directory.is_dir():
        return "it is not a folder"
    names = {path.name for path in directory.iterdir()}
    if not names:
        return None
    strange = sorted(names - {MANIFEST, README, SCRIPT, LIBRARY})
    if strange:
        return f"it has other files in it, {strange[0]!r} among them"
    try:
        read(directory)
    except MalformedInput as error:
        return f"it has no certificate in it that could be replaced: {error.message}"
    return None


def write(certificate: Certificate, directory: Path) -> None:
    """Write a certificate to a folder for which `not_for_certificates` has no objection.

    The folder is made if need be, and an earlier certificate's files are replaced; no link is followed.
    """
    library = directory / LIBRARY
    library.mkdir(parents=True, exist_ok=True)
    (directory / MANIFEST).unlink(missing_ok=True)  # until the new one is there, this is no certificate
    for path in library.iterdir():
        path.unlink()
    for name, text in certificate.modules.items():
        _replace(directory / file_name(name), text)
    _replace(directory / README, _readme(certificate))
    _replace(directory / SCRIPT, _script(certificate))
    _replace(directory / MANIFEST, certificate.manifest)


def _replace(path: Path, text: str) -> None:
    """Write a new file and have it take the place of what is there, which may be a link."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    with new.open("x", encoding="utf-8", newline="") as file:
        file.write(text)
    new.replace(path)


def read(directory: Path) -> Certificate:
    """Return the certificate in a folder. Raises `MalformedInput`, naming the file.

    A manifest in any other form than the one that is written is refused, and so are a file that it does not
    name beside those that it does, a link, and a file whose digest is another.
    """
    text = _text(directory, MANIFEST)
    try:
        document = json.loads(text, object_pairs_hook=_object)
        certificate = _certificate(document, directory)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise MalformedInput(f"{MANIFEST}: is no manifest of a certificate: {error!r}") from error
    if certificate.manifest != text:
        raise MalformedInput(f"{MANIFEST}: is not in the form in which certificates are written")
    named = {file_name(name) for name in certificate.modules}
    for path in sorted((directory / LIBRARY).rglob("*")):
        if path.relative_to(directory).as_posix() not in named:
            raise MalformedInput(f"{path.relative_to(directory)}: the manifest does not name this file")
    return certificate


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedInput(f"{MANIFEST}: a key stands twice in one object")
    return found


def _certificate(document: dict[str, Any], directory: Path) -> Certificate:
    if document["format"] != FORMAT:
        raise MalformedInput(f"{MANIFEST}: the format is {document['format']!r}, not {FORMAT!r}")
    modules: dict[str, str] = {}
    for path, digest in document["files"].items():
        if not _FILE.fullmatch(path):
            raise MalformedInput(f"{MANIFEST}: {path!r} is no name of a file of a certificate")
        text = _text(directory, path)
        if text_digest(text) != digest:
            raise MalformedInput(f"{path}: is not the file whose digest the manifest gives")
        modules[path.removesuffix(".lean").replace("/", ".")] = text
    return Certificate(
        program_ref=document["program_ref"],
        answers_digest=document["answers_digest"],
        trace_ref=document["trace_ref"],
        status=document["status"],
        records=document["records"],
        profile=Profile(document["profile"]),
        states_bytes=document["states_bytes"],
        segments=document["segments"],
        theorems={
            claim: (entry["statement"], entry["definitions"])
            for claim, entry in document["theorems"].items()
        },
        foundation=document["foundation_digest"],
        modules=modules,
    )


def _text(directory: Path, name: str) -> str:
    path = directory / name
    try:
        if path.is_symlink() or not path.is_file():
            raise MalformedInput(f"{name}: there is no such file in {directory}")
        if path.stat().st_size > _LARGEST:
            raise MalformedInput(f"{name}: is larger than {_LARGEST >> 20} MiB")
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise MalformedInput(f"{name}: cannot be read: {error}") from error


# ------------------------------------------------------------------------------------------------
# For people


def _readme(certificate: Certificate) -> str:
    stated = file_name(certificate.module)
    return (
        f"With `lean` {VERSION} (commit {COMMIT}) and SOURCES, the full path of Eclogue's folder `lean`:"
        f" sh {SCRIPT} lean SOURCES OUT\n"
        f"It ends well and says that no axiom is used exactly if Lean accepts; {stated} says what.\n"
    )


_SCRIPT = """\
#!/bin/sh
# Compile Eclogue's development and this certificate with Lean alone: sh check.sh LEAN SOURCES OUT
# A module of the development that OUT has already compiled is not compiled again.
set -eu
lean=$1 sources=$2 out=$3
here=$(dirname "$0")
LEAN_PATH=$out
export LEAN_PATH
compile() {{
  mkdir -p "$(dirname "$out/$2")"
  "$lean" -R "$1" -o "$out/$2.olean" "$1/$2.lean"
  test -s "$out/$2.olean"
}}
for module in \\
{development}
do
  test -s "$out/$module.olean" || compile "$sources" "$module"
done
for module in \\
{certificate}
do
  compile "$here" "$module"
done
printf '%s\\n' prelude 'import {module}' > "$out/Axioms.lean"
for theorem in \\
{theorems}
do
  printf '%s\\n' "#print axioms $theorem" >> "$out/Axioms.lean"
done
"$lean" "$out/Axioms.lean" > "$out/Axioms.txt"
cat "$out/Axioms.txt"
test "$(grep -c 'does not depend on any axioms' "$out/Axioms.txt")" -eq {count}
"""


def _script(certificate: Certificate) -> str:
    package, _ = read_package()
    theorems = [
        f"{LIBRARY}.{name}"
        for text in certificate.modules.values()
        for name in re.findall(r"^theorem (\w+)", text, re.MULTILINE)
    ]

    def listed(names: list[str]) -> str:
        return " \\\n".join(f"  {name.replace('.', '/')}" for name in names)

    return _SCRIPT.format(
        development=listed(list(package.modules)),
        certificate=listed(list(certificate.modules)),
        module=certificate.module,
        theorems=" \\\n".join(f"  {name}" for name in theorems),
        count=len(theorems),
    )
