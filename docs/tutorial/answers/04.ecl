effect work { reversible ctl step(name: Text): Text }
effect log { reversible ctl say(line: Text): Unit }

task main(): Text / {} {
  handle {
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
  } with {
    ctl log.say(line) { let rest = resume(()); return line ++ "; " ++ rest }
  }: Text
}
