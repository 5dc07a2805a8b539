"""The codes of diagnostics, and their pages.

Every code has a title here and a page in `pages/CODE.md`, which `eclogue explain CODE` prints. Codes are
never used again for something else.
"""

from __future__ import annotations

from importlib.resources import files

_SYNTAX: dict[str, str] = {
    # Files
    "EC0001": "file not found",
    "EC0002": "a directory where a file is wanted",
    "EC0003": "the file cannot be read",
    "EC0004": "the file is not UTF-8",
    "EC0005": "the file is too large",
    "EC0006": "the file has no task",
    # Characters and words
    "EC0101": "a character that is not part of the language",
    "EC0102": "a text that does not end on its line",
    "EC0103": "an unknown escape in a text",
    "EC0104": "an escape that is no Unicode scalar",
    "EC0105": "a float",
    "EC0106": "a malformed number",
    "EC0107": "a number with too many digits",
    "EC0108": "a reserved word as a name",
    "EC0109": "an invisible character that reorders text",
    # Syntax
    "EC0201": "something else was expected here",
    "EC0202": "a missing semicolon",
    "EC0203": "a statement after the end of a block",
    "EC0204": "comparisons in a row",
    "EC0205": "nested too deeply",
    "EC0206": "a bracket that is not closed",
    "EC0207": "a bracket that closes nothing",
    "EC0208": "a computation inside an expression",
    # Core programs as text
    "EC0301": "a name in a core program that stands for nothing",
    "EC0302": "a key that stands twice in a schema of a core program",
}

_NAMES_AND_SCHEMAS: dict[str, str] = {
    # Names that stand for nothing
    "EC1001": "an unknown variable",
    "EC1002": "an unknown effect",
    "EC1003": "an unknown operation",
    "EC1004": "an unknown task or def",
    "EC1005": "an unknown handler",
    "EC1006": "an unknown type",
    # Declarations
    "EC1101": "a name that is declared twice",
    "EC1102": "a parameter that stands twice",
    "EC1103": "an operation that is declared twice",
    "EC1104": "a key that stands twice",
    "EC1105": "an entry that stands twice in a row",
    "EC1106": "the name of a built-in type",
    "EC1151": "a wrong number of arguments",
    "EC1161": "recursion",
    "EC1162": "a type that contains itself",
    "EC1171": "a variable that is not used",
    # Schemas
    "EC1201": "a value that can never have the wanted type",
    "EC1202": "a key that the record does not have",
    "EC1203": "a key of something that is no record",
    "EC1204": "an operand of the wrong kind",
    "EC1205": "a condition that is no Bool",
    "EC1206": "a key that the type does not have",
    "EC1207": "a key that the type needs",
    # The task that is run, and its arguments
    "EC1301": "several tasks, and none of them chosen",
    "EC1302": "no task of that name",
    "EC1303": "a task argument that is missing",
    "EC1304": "a task argument that there is no parameter for",
    "EC1305": "a task argument of the wrong type",
}

_EFFECTS_AND_HANDLERS: dict[str, str] = {
    "EC2001": "an operation that escapes beyond the row",
    # Handlers
    "EC2101": "two clauses for one operation",
    "EC2102": "two return clauses",
    "EC2103": "a ctl clause for a fun operation",
    "EC2104": "a clause with a wrong number of parameters",
    # Clause bodies
    "EC2201": "a resume where no clause can resume",
    "EC2202": "an answer or abort where no clause can complete",
    "EC2203": "control in a fun clause",
    "EC2204": "a second resume on the same path",
    "EC2205": "an answer or abort after a resume",
    "EC2206": "a path that does not complete its clause",
    "EC2207": "a statement that no path reaches",
    "EC2208": "a statement after an if that resumes",
    "EC2209": "a statement that several paths lead to",
    "EC2210": "a return whose value is discarded",
    "EC2211": "a resume whose result is discarded",
}

_EXPANSION: dict[str, str] = {
    "EC3001": "an expansion that is too large",
}

_DOCUMENTS: dict[str, str] = {
    "EC4001": "a core program that is malformed",
    "EC4101": "answers that are malformed",
    "EC4102": "an answer that fits no suspension",
    "EC4201": "a saved run that is refused",
    "EC4301": "a document that cannot be imported",
    "EC4302": "a program that this language does not have",
    # Traces
    "EC4401": "a trace that is malformed",
    "EC4402": "a ref that is not that of its record",
    "EC4403": "a record that breaks a lifecycle rule",
    "EC4404": "a trace that is not the run of its program",
    "EC4405": "a trace outside the profile that was asked for",
    "EC4406": "two readings that disagree",
    "EC4407": "a replay that reached a limit",
    "EC4501": "a bundle that is malformed",
    "EC4502": "a line of a bundle that is something else",
    "EC4503": "an envelope of an unknown version",
    "EC4504": "a file of a claim that is missing",
    "EC4505": "a file with other bytes than the claim's",
    "EC4506": "a file that says something else than the claim's",
    "EC4507": "a claim that its run does not support",
    "EC4508": "a signature that is missing, wrong, or not checked",
    "EC4509": "a verification result that does not belong to its envelope",
    "EC4510": "a claim about a trace that does not stand",
    "EC4511": "a certificate that Lean refuses",
    "EC4512": "a certificate that Lean did not check",
    "EC4513": "a key that cannot be used",
    "EC4514": "a policy that is not met",
    "EC4515": "a Lean whose digest is not known",
    # Other tools' trajectories
    "EC4601": "a trajectory that is no JSON",
    "EC4602": "a field that ATIF does not have like this",
    "EC4603": "a trajectory that breaks a rule of ATIF",
    "EC4604": "a version of a format that is not known",
    "EC4605": "a file of another format",
    "EC4606": "an extra file that is malformed",
    "EC4607": "an extra file of another trace",
    # Redaction
    "EC4701": "a salt that is none",
    "EC4702": "a selection for redaction that means nothing",
    "EC4703": "a redacted trace that cannot be replayed",
    "EC4704": "a secret that is still told",
    "EC4705": "blobs that do not belong to the trace",
}

_EXECUTION: dict[str, str] = {
    "EC6001": "a sandbox that cannot do what it was asked",
    "EC6002": "an operation that its host offers with other types",
    "EC6003": "a merge with conflicts",
    "EC6004": "a run on disk that is damaged",
    "EC6005": "a document of files that is none",
}

_FAILURES: dict[str, str] = {
    "EC5001": "the run failed: unbound",
    "EC5002": "the run failed: type",
    "EC5003": "the run failed: key",
    "EC5004": "the run failed: schema",
}

CODES: dict[str, str] = {
    **_EXECUTION,
    **_SYNTAX,
    **_NAMES_AND_SCHEMAS,
    **_EFFECTS_AND_HANDLERS,
    **_EXPANSION,
    **_DOCUMENTS,
    **_FAILURES,
}
"""Code to title: EC0… files and syntax, EC1… names and schemas, EC2… effects and handlers, EC3… expansion,
EC4… documents in JSON, EC5… failures of runs."""


def page(code: str) -> str:
    """Return the page of a code, in Markdown; raises `KeyError` for a code that does not exist."""
    if code not in CODES:
        raise KeyError(code)
    return (files("eclogue.lowering") / "pages" / f"{code}.md").read_text(encoding="utf-8")
