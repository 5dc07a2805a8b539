effect ask { reversible ctl number(): Int  reversible fun log(n: Int): Unit }

def helper(n) { resume(n) }

handler named() {
  return(x) { answer(x) }
  ctl ask.number() { resume(1) }
}

task main(): Int {
  abort(0)
}

task handled(): Int {
  handle {
    let n = perform ask.number();
    if n == 0 then { abort(0) };
    n
  } with named()
}

task clauses(): Int {
  handle { perform ask.number() } with {
    return(x) { resume(x) }
    ctl ask.number() {
      let n = handle { resume(1) } with { return(y) { abort(y) } };
      repeat 2 with m = 0 { resume(m) };
      for m in [1, 2] { if m == 1 then { answer(m) } };
      resume(n)
    }
    fun ask.log(n) {
      if n == 0 then { abort(0) };
      answer(1)
    }
  }
}

# Only the misplaced one is told, not that the clause does not complete.
task told_once(): Int {
  handle { perform ask.number() } with {
    ctl ask.number() { repeat 2 with m = 0 { resume(m) } }
    fun ask.log(n) { resume(()) }
  }
}
