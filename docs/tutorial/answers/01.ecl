effect greet { reversible ctl name(): Text }

task hello(): Text / {} {
  handle {
    let name = perform greet.name();
    return "hello, " ++ name
  } with {
    ctl greet.name() {
      let greeting = resume("world");
      return greeting ++ "!"
    }
  }: Text
}
