effect fs { ctl write(path: Text): Unit }

task first(a, b: Text) { 1 }

task second(a: Text) { 1 }

task third(): Int { perform write(1) }

task fourth(): Int { handle { 1 } with { fs.write(p) { resume(p) } } }

let x = 1;
