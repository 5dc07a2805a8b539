type Bool = Intt
type Name = Text
type Name = {first: Text, first: Int}

effect fs {
  reversible ctl read(path: Text, path: Text): Text
  irreversible fun read(line: Int): Text
}
effect fs { }

handler h(a, a) { return(x) { x } }
handler h() { }

def main(_, x, _, x) { {x: x, x: 1} }
task main(y: Int, y: Int): Any / {fs, fs.read, fs} {
  handle { 1 } with { ctl fs.read(p, p) { answer(p) } }
}
