# One effect, one handler. The worker asks for a name; the handler resumes it with one.

effect greet { reversible ctl name(): Text }

task hello(): Text / {} {
  handle {
    let name = perform greet.name();
    return "hello, " ++ name
  } with {
    ctl greet.name() { resume("world") }
  }: Text
}
