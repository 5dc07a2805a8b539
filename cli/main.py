"""The `eclogue` command: a group of subcommands, each in the module of its subject.

Exit codes: 0 completed or accepted; 1 failed or rejected; 2 usage, malformed input, static errors, I/O;
3 suspended, exhausted, unsupported or unknown; 4 two readings disagree, which is a bug in Eclogue.
"""

from __future__ import annotations

import io
import sys

import click

from eclogue.cli.certifying import certify_command
from eclogue.cli.doctor import doctor_command
from eclogue.cli.executing import exec_command
from eclogue.cli.exporting import export_group
from eclogue.cli.importing import import_group
from eclogue.cli.keys import keys_group
from eclogue.cli.lean_commands import lean_group
from eclogue.cli.redacting import redact_command, restore_command
from eclogue.cli.replaying import replay_command
from eclogue.cli.run_commands import COMMANDS as RUN_COMMANDS
from eclogue.cli.run_commands import export_git_command
from eclogue.cli.running import resume_command, run_command
from eclogue.cli.serving import lsp_command
from eclogue.cli.sources import check_command, explain_command, fmt_command, lower_command
from eclogue.cli.step_command import step_command
from eclogue.cli.validating import validate_command
from eclogue.cli.verifying import verify_command
from eclogue.cli.version import version_text
from eclogue.cli.view_command import view_command

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=_CONTEXT)
@click.version_option(version_text(), "-V", "--version", message="eclogue %(version)s")
def main() -> None:
    """Eclogue: algebraic effects for agents, with the semantics first.

    Exit codes: 0 completed or accepted; 1 failed or rejected; 2 usage, malformed input, static errors, I/O;
    3 suspended, exhausted, unsupported or unknown; 4 two readings disagree, which is a bug in Eclogue.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # JSON is UTF-8, and text must not fail to be printed: also a file's name that is not UTF-8.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


for command in (
    check_command,
    fmt_command,
    lower_command,
    run_command,
    resume_command,
    step_command,
    view_command,
    exec_command,
    *RUN_COMMANDS,
    replay_command,
    validate_command,
    certify_command,
    verify_command,
    redact_command,
    restore_command,
    keys_group,
    import_group,
    export_group,
    lean_group,
    doctor_command,
    lsp_command,
    explain_command,
):
    main.add_command(command)
export_group.add_command(export_git_command)
