effect fs {
  reversible ctl write(path: Text, text: Text): Unit
  reversible fun log(line: Text): Unit
}

task main(): Any {
  handle { perform fs.write("a", "b") } with {
    return(x) { x }
    ctl fs.write(p, t) { resume(()) }
    fun fs.write(p, t) { () }
    return(y) { y }
    ctl fs.log(line) { resume(()) }
  };
  handle { perform fs.write("a", "b") } with {
    ctl fs.write(p) { resume(p) }
    fun fs.log() { () }
  }
}
