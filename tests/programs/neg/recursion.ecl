effect e { reversible ctl op(): Int }

def itself() { itself() }

def even(n) { if n == 0 then { true } else { odd(n - 1) } }
def odd(n) { if n == 0 then { false } else { even(n - 1) } }

handler looping() {
  ctl e.op() { let x = helper(); resume(x) }
}
def helper() { handle { perform e.op() } with looping() }

type Tree = {left: Branch, right: Branch}
type Branch = List[Tree]
type Self = Self

task main(t: Tree, s: Self): Bool {
  itself();
  handle { perform e.op(); } with looping();
  return even(4)
}
