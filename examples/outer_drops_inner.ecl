# The inner clause is still at work (it asked the outer handler for permission) when the outer clause decides without
# resuming. The inner selection was captured by the outer one, so it is dropped with it: closed once, and named.

effect tool { reversible ctl use(name: Text): Text }
effect guard { reversible ctl permit(name: Text): Bool }

# Both tasks are the same but for the last word: `answer` stays in no smaller profile than `abort`, but says less.
def worker() {
  let found = perform tool.use("search");
  let erased = perform tool.use("erase");
  return found ++ erased
}

handler guarded() {
  ctl tool.use(name) {
    let ok = perform guard.permit(name);
    if ok then { resume("used " ++ name ++ "; ") } else { answer("skipped") }
  }
}

task answers(): Text / {} {
  handle {
    handle { worker() } with guarded(): Text
  } with {
    ctl guard.permit(name) { if name == "erase" then { answer("stopped") } else { resume(true) } }
  }: Text
}

task aborts(): Text / {} {
  handle {
    handle { worker() } with guarded(): Text
  } with {
    ctl guard.permit(name) { if name == "erase" then { abort("stopped") } else { resume(true) } }
  }: Text
}
