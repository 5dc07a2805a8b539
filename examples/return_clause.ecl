# The return clause applies to the handled computation's own value, after any number of resumes, and is passed by
# when a clause answers.

effect ask { reversible ctl number(): Int }

handler counted() {
  return(x) { return {value: x, by: "return clause"} }
  ctl ask.number() { let rest = resume(20); return {value: rest.value + 1, by: rest.by} }
}

# No operation: the return clause alone.
task zero(): {value: Int, by: Text} / {} {
  handle { return 1 } with counted()
}

# One resume: the clause gets what the return clause made.
task one(): {value: Int, by: Text} / {} {
  handle { let n = perform ask.number(); return n } with counted()
}

# Many: one clause for each, inside one another.
task many(): {value: Int, by: Text} / {} {
  handle {
    let a = perform ask.number();
    let b = perform ask.number();
    let c = perform ask.number();
    return a + b + c
  } with counted()
}

# Answered: the return clause is not asked.
task answered(): {value: Int, by: Text} / {} {
  handle {
    let n = perform ask.number();
    return n
  } with {
    return(x) { return {value: x, by: "return clause"} }
    ctl ask.number() { answer({value: 0, by: "clause"}) }
  }
}
