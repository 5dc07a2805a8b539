# A clause runs outside its own handler: what it performs goes to the handlers further out. Here one clause
# performs an outer operation before it resumes, and again after.

effect work { reversible ctl step(name: Text): Text }
effect log { reversible fun say(line: Text): Unit }

task main(): Text / {log.say} {
  handle {
    let first = perform work.step("a");
    let second = perform work.step("b");
    return first ++ second
  } with {
    ctl work.step(name) {
      perform log.say("before " ++ name);
      let rest = resume("<" ++ name ++ ">");
      perform log.say("after " ++ name);
      return rest
    }
  }: Text
}
