effect fs {
  reversible ctl read(path: Text): Text
  reversible ctl write(path: Text): Unit
}
effect ask { reversible ctl text(): Text }

def reads(): Text / {} { perform fs.read("a") }
def writes() { perform fs.write("a") }

handler asking() { ctl fs.read(path) { let t = perform ask.text(); resume(t) } }

# The row allows what escapes; an effect stands for its operations.
task right(): Text / {fs} {
  writes();
  handle { perform ask.text() } with { ctl ask.text() { let t = reads(); resume(t) } }
}

task through_a_def(): Unit / {fs.read} {
  perform fs.read("a");
  writes()
}

task from_a_clause(): Text / {} {
  handle {
    handle { perform fs.read("a") } with asking()
  } with {
    return(x) { perform fs.write(x); x }
    ctl fs.read(_) { answer("") }
  }
}

task twice_is_told_once(): Text / {fs.write} {
  let a = perform ask.text();
  let b = perform ask.text();
  return a ++ b
}
