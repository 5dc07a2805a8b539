"""Random surface programs without static errors, with all of the sugar, as text.

Expressions are made for a type; now and then a variable of which nothing is known stands in, so that some
programs fail when they run.
"""

from __future__ import annotations

from random import Random

from support.choices import Weighted, chance

HEAD = """
effect a {
  reversible ctl get(): Int
  reversible ctl put(x: Int): Bool
  reversible ctl pair(x: Int, y: Text): Text
  reversible fun note(line: Text): Int
}
type Number = Int
"""

OPERATIONS = {
    "a.get": ((), "Int"),
    "a.put": (("Int",), "Bool"),
    "a.pair": (("Int", "Text"), "Text"),
    "a.note": (("Text",), "Int"),
}
TYPES = ("Int", "Int", "Text", "Bool", "Any")
NAMES = ("x", "y", "z", "größe", "v1", "v2")

Env = dict[str, str]
"""The type of each variable in scope: `Any` if nothing is known of it, `Some` if something may be known."""

_COMPUTATIONS = Weighted(
    (5, "pure"),
    (4, "perform"),
    (2, "if"),
    (2, "do"),
    (3, "handle"),
    (1, "named"),
    (2, "call"),
    (1, "repeat"),
    (1, "for"),
)
_PATHS = Weighted(
    (4, "resume"),
    (4, "resume and go on"),
    (1, "answer"),
    (1, "abort"),
    (2, "if"),
    (2, "exit"),
    (2, "exit beside"),
    (2, "let if"),
    (2, "do"),
    (1, "resume in do"),
)


class DirectedSurface:
    """Makes one program; `fuel` is about the number of its statements."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.defs: list[tuple[str, tuple[str, ...], str]] = []
        self.handlers: list[tuple[str, tuple[str, ...], str]] = []

    def text(self, fuel: int) -> str:
        """Return a file with a task `main`."""
        declarations = [HEAD]
        declarations += [self._def(f"f{number}", fuel // 3) for number in range(self.rng.randint(0, 3))]
        declarations += [self._handler(f"h{number}", fuel // 3) for number in range(self.rng.randint(0, 2))]
        result = self.rng.choice(TYPES)
        declarations.append(f"task main(): {result} {self.block({}, result, fuel)}")
        self.rng.shuffle(declarations)
        return "\n".join(declarations)

    def _parameters(self) -> tuple[Env, list[str]]:
        names = self.rng.sample(NAMES, self.rng.randint(0, 2))
        env = {name: self.rng.choice(TYPES) for name in names}
        return env, [f"{name}: {kind}" if chance(self.rng, 0.5) else name for name, kind in env.items()]

    def _def(self, name: str, fuel: int) -> str:
        env, written = self._parameters()
        result = self.rng.choice(TYPES)
        if chance(self.rng, 0.4):
            kind = "task"
            written = [f"{parameter}: {declared}" for parameter, declared in env.items()]
            stated = f": {result}"
        else:
            kind = "def"
            stated = f": {result}" if result == "Any" or chance(self.rng, 0.5) else ""
        text = f"{kind} {name}({', '.join(written)}){stated} {self.block(env, result, fuel)}"
        self.defs.append((name, tuple(env.values()), result))
        return text

    def _handler(self, name: str, fuel: int) -> str:
        env, written = self._parameters()
        result = self.rng.choice(TYPES)
        text = f"handler {name}({', '.join(written)}) {self.clauses(env, 'Any', result, fuel)}"
        self.handlers.append((name, tuple(env.values()), result))
        return text

    # -------------------------------------------------------------------------------- expressions

    def expression(self, env: Env, wanted: str, depth: int = 2) -> str:
        """Return an expression of a type."""
        rng = self.rng
        if wanted == "Any":
            wanted = rng.choice(("Int", "Text", "Bool", "List", "Record", "Any", "Any"))
        own = [name for name, kind in env.items() if kind == wanted]
        unknown = [
            name for name, kind in env.items() if kind in ("Any", "Some" if wanted == "Any" else "Any")
        ]
        if unknown and chance(rng, 0.7 if wanted == "Any" else 0.02):
            return rng.choice(unknown)
        if own and chance(rng, 0.5):
            return rng.choice(own)
        if depth and chance(rng, 0.08):
            return f"{{k: {self.expression(env, wanted, depth - 1)}, l: 0}}.k"
        return self._made(env, wanted, depth)

    def _made(self, env: Env, wanted: str, depth: int) -> str:
        rng = self.rng

        def part(kind: str) -> str:
            return self.expression(env, kind, depth - 1)

        if wanted == "List":
            return f"[{', '.join(part('Any') for _ in range(rng.randint(0, 2)))}]" if depth > 0 else "[]"
        if wanted == "Record":
            return f"{{k: {part('Any')}, m: {part('Int')}}}" if depth > 0 else "{}"
        if wanted == "Text":
            return f"({part('Text')} ++ {part('Text')})" if depth > 0 and chance(rng, 0.5) else '"t"'
        if wanted == "Bool":
            if depth <= 0:
                return rng.choice(("true", "false"))
            if chance(rng, 0.3):
                return f"({part('Bool')} {rng.choice(('and', 'or'))} not {part('Bool')})"
            return f"({part('Int')} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {part('Int')})"
        if depth > 0 and chance(rng, 0.5):
            return f"({part('Int')} {rng.choice('+-*')} {part('Int')})"
        return rng.choice(("0", "1", "7", "-3"))

    # -------------------------------------------------------------------------------- computations

    def block(self, env: Env, wanted: str, fuel: int) -> str:
        """Return a block with a value of a type."""
        env = dict(env)
        statements = self.statements(env, fuel)
        last = self.computation(env, wanted, fuel // 2)
        last = f"return {last}" if chance(self.rng, 0.5) else last
        return f"{{ {statements}{last} }}"

    def statements(self, env: Env, fuel: int) -> str:
        """Return some statements, each with a semicolon; what they bind is added to `env`."""
        written = []
        for _ in range(self.rng.randint(0, 3) if fuel > 0 else 0):
            kind = self.rng.choice(TYPES)
            if chance(self.rng, 0.3):
                written.append(self._discarded(env, fuel // 3))
                continue
            computation = self.computation(env, kind, fuel // 3)
            name = self.rng.choice((*NAMES, "_"))
            stated = f": {self._stated(kind)}" if kind == "Any" or chance(self.rng, 0.3) else ""
            written.append(f"let {name}{stated} = {computation}; ")
            if name != "_":
                env[name] = kind
        return "".join(written)

    def _stated(self, kind: str) -> str:
        return "Number" if kind == "Int" and chance(self.rng, 0.5) else kind

    def _discarded(self, env: Env, fuel: int) -> str:
        """Return a statement whose value is discarded; a block in it does not `return`."""
        if chance(self.rng, 0.4) and fuel > 0:
            inner = self.statements(dict(env), fuel)
            return f"if {self.expression(env, 'Bool')} then {{ {inner} }}; "
        return f"{self._perform(env, self.rng.choice(tuple(OPERATIONS)))}; "

    def _perform(self, env: Env, operation: str) -> str:
        arguments = ", ".join(self.expression(env, kind) for kind in OPERATIONS[operation][0])
        return f"perform {operation}({arguments})"

    def computation(self, env: Env, wanted: str, fuel: int) -> str:
        """Return a computation with a value of a type."""
        form = _COMPUTATIONS.pick(self.rng) if fuel > 0 else self.rng.choice(("pure", "perform"))
        if form == "perform":
            fitting = [name for name, (_, result) in OPERATIONS.items() if wanted in (result, "Any")]
            return self._perform(env, self.rng.choice(fitting))
        if form == "if":
            then, otherwise = self.block(env, wanted, fuel // 2), self.block(env, wanted, fuel // 2)
            return f"if {self.expression(env, 'Bool')} then {then} else {otherwise}"
        if form == "do":
            return f"do {self.block(env, wanted, fuel)}"
        if form == "handle":
            clauses = self.clauses(env, wanted, wanted, fuel // 2)
            completion = f": {wanted}" if wanted == "Any" or chance(self.rng, 0.5) else ""
            return f"handle {self.block(env, wanted, fuel // 2)} with {clauses}{completion}"
        if form in ("named", "call"):
            return self._use(env, wanted, fuel, form) or self.expression(env, wanted)
        if form == "repeat":
            return self._repeat(env, wanted, fuel)
        if form == "for" and wanted == "Any":
            items = ", ".join(self.expression(env, "Int") for _ in range(self.rng.randint(0, 3)))
            name = self.rng.choice(NAMES)
            return f"for {name} in [{items}] {self.block({**env, name: 'Int'}, 'Any', fuel // 3)}"
        return self.expression(env, wanted)

    def _use(self, env: Env, wanted: str, fuel: int, form: str) -> str | None:
        """Return a call, or the use of a named handler, if there is one that fits."""
        declared = self.defs if form == "call" else self.handlers
        fitting = [item for item in declared if wanted in (item[2], "Any")]
        if not fitting:
            return None
        name, parameters, result = self.rng.choice(fitting)
        arguments = ", ".join(self.expression(env, kind) for kind in parameters)
        if form == "call":
            return f"{name}({arguments})"
        return f"handle {self.block(env, result, fuel // 2)} with {name}({arguments}): {result}"

    def _repeat(self, env: Env, wanted: str, fuel: int) -> str:
        name, count = self.rng.choice(NAMES), self.rng.randint(0, 3)
        inner = {**env, name: _seen(wanted)}
        condition = f" while {self.expression(inner, 'Bool')}" if chance(self.rng, 0.6) else ""
        body = self.block(inner, wanted, fuel // 3)
        return f"repeat {count} with {name} = {self.expression(env, wanted)}{condition} {body}"

    # -------------------------------------------------------------------------------- handlers

    def clauses(self, env: Env, body: str, wanted: str, fuel: int) -> str:
        """Return the clauses of a handler with values of a type around a block of another."""
        written = []
        for operation in self.rng.sample(list(OPERATIONS), self.rng.randint(0, 3)):
            kinds, result = OPERATIONS[operation]
            names = self.rng.sample(NAMES, len(kinds))
            own = dict(zip(names, kinds, strict=True))
            names = [name if chance(self.rng, 0.85) else "_" for name in names]
            inner = {**env, **{name: own[name] for name in names if name != "_"}}
            head = f"{operation}({', '.join(names)})"
            if operation == "a.note" or chance(self.rng, 0.15):
                written.append(f"fun {head} {self.block(inner, result, fuel // 2)}")
            else:
                written.append(f"ctl {head} {{ {self.path(inner, wanted, result, fuel // 2)} }}")
        if chance(self.rng, 0.4):
            name = self.rng.choice(NAMES)
            written.append(f"return({name}) {self.block({**env, name: _seen(body)}, wanted, fuel // 3)}")
        self.rng.shuffle(written)
        return f"{{ {' '.join(written)} }}"

    def path(self, env: Env, wanted: str, result: str, fuel: int) -> str:
        """Return statements that complete a clause."""
        env = dict(env)
        before = self.statements(env, fuel // 2)
        form = _PATHS.pick(self.rng) if fuel > 0 else self.rng.choice(("resume", "answer"))
        return before + self._end(form, env, wanted, result, fuel - 1)

    def _exit(self, env: Env, wanted: str) -> str:
        """Return a statement that completes a clause without a resume."""
        return f"{self.rng.choice(('answer', 'abort'))}({self.expression(env, wanted)})"

    def _end(self, form: str, env: Env, wanted: str, result: str, fuel: int) -> str:
        rng = self.rng
        value, condition = self.expression(env, result), self.expression(env, "Bool")
        name = rng.choice(NAMES)
        if form == "resume":
            return f"resume({value})"
        if form == "resume and go on":
            stated, kind = rng.choice(((": Any", "Any"), ("", "Some")))
            after = {**env, name: kind}
            rest = self.statements(after, fuel // 2)
            return (
                f"let {name}{stated} = resume({value}); {rest}{self.computation(after, wanted, fuel // 2)}"
            )
        if form in ("answer", "abort"):
            return f"{form}({self.expression(env, wanted)})"
        if form == "if":
            then, otherwise = (self.path(env, wanted, result, fuel // 2) for _ in range(2))
            return f"if {condition} then {{ {then} }} else {{ {otherwise} }}"
        if form == "exit":
            inner = dict(env)
            inside = self.statements(inner, fuel // 3)
            rest = self.path(env, wanted, result, fuel // 2)
            return f"if {condition} then {{ {inside}{self._exit(inner, wanted)} }}; {rest}"
        if form == "exit beside":
            inside = self.statements(dict(env), fuel // 3)
            rest = self.path(env, wanted, result, fuel // 2)
            return f"if {condition} then {{ {inside} }} else {{ {self._exit(env, wanted)} }}; {rest}"
        if form == "let if":
            goes_on = self.block(env, "Int", fuel // 3).replace("return ", "")
            branches = [f"{{ {self._exit(env, wanted)} }}", goes_on]
            rng.shuffle(branches)
            rest = self.path({**env, name: "Int"}, wanted, result, fuel // 2)
            return f"let {name} = if {condition} then {branches[0]} else {branches[1]}; {rest}"
        if form == "do":
            inner = dict(env)
            inside = self.statements(inner, fuel // 3)
            inside += f"if {self.expression(inner, 'Bool')} then {{ {self._exit(inner, wanted)} }}; "
            inside += self.statements(inner, fuel // 3)
            return f"do {{ {inside} }}; {self.path(env, wanted, result, fuel // 2)}"
        inner = {**env, name: "Some"}
        inside = f"let {name} = resume({value}); {self.statements(inner, fuel // 3)}"
        inside += self.expression(inner, "Int")
        rest = self.computation({**env, name: "Int"}, wanted, fuel // 2)
        return f"let {name} = do {{ {inside} }}; {rest}"


def _seen(kind: str) -> str:
    """Return the type of a variable whose value has a type, where no type is stated."""
    return "Some" if kind == "Any" else kind
