effect model { reversible ctl call(prompt: Text): Text }

task main(): Text / {} {
  handle {
    handle {
      let a = perform model.call("a");
      let b = perform model.call("b");
      let c = perform model.call("c");
      return a ++ b ++ c
    } with {
      return(x) { return {text: x, left: 2} }
      ctl model.call(prompt) {
        if prompt == "c" then {
          resume("(no more)")
        } else {
          let reply = perform model.call(prompt);
          resume(reply)
        }
      }
    }
  } with {
    return(r) { return r.text }
    ctl model.call(prompt) { resume("<" ++ prompt ++ ">") }
  }: Text
}
