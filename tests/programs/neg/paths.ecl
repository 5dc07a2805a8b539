effect ask { reversible ctl number(x: Int): Int }

task not_completed(): Any {
  handle { perform ask.number(1) } with { ctl ask.number(x) { } };
  handle { perform ask.number(1) } with { ctl ask.number(x) { x } };
  handle { perform ask.number(1) } with { ctl ask.number(x) { return x } };
  handle { perform ask.number(1) } with { ctl ask.number(x) { let y = x; } };
  handle { perform ask.number(1) } with { ctl ask.number(x) { if x == 1 then { resume(x) } } };
  handle { perform ask.number(1) } with { ctl ask.number(x) { if x == 1 then { resume(x) } else { x } } };
  handle { perform ask.number(1) } with { ctl ask.number(x) { do { if x == 1 then { answer(x) } else { () } } } };
  handle { perform ask.number(1) } with { ctl ask.number(x) { if x == 1 then { abort(x) }; x } }
}

task twice(): Any {
  handle { perform ask.number(1) } with {
    ctl ask.number(x) { let a = resume(x); let b = resume(a); return b }
  };
  handle { perform ask.number(1) } with {
    ctl ask.number(x) { let a = resume(x); if a == 1 then { abort(a) } else { answer(a) } }
  };
  handle { perform ask.number(1) } with {
    ctl ask.number(x) { do { resume(x); } resume(x) }
  }
}

task behind(): Any {
  handle { perform ask.number(1) } with {
    ctl ask.number(x) { if x == 1 then { answer(x) } else { abort(x) } resume(x) }
  };
  handle { perform ask.number(1) } with {
    ctl ask.number(x) { if x == 1 then { resume(x) } else { abort(x) } resume(x) }
  };
  handle { perform ask.number(1) } with {
    ctl ask.number(x) { let y = if x == 1 then { resume(x) } else { 2 }; return y }
  };
  handle { perform ask.number(1) } with {
    ctl ask.number(x) {
      let y = if x == 1 then { if x == 2 then { abort(x) } else { 1 } } else { 2 };
      resume(y)
    }
  };
  handle { perform ask.number(1) } with {
    ctl ask.number(x) { do { do { if x == 1 then { resume(x) } else { 2 } } } resume(x) }
  }
}

task discarded(n: Int): Any {
  if n == 0 then { return 1 };
  do { if n == 1 then { return 2 } else { 3 } };
  let x = if n == 2 then { return 3 } else { 4 };
  handle { perform ask.number(1) } with {
    ctl ask.number(y) { if y == 1 then { return x }; resume(y) }
  }
}
