effect fs {
  reversible ctl write(path: Text, text: Text): Unit
  reversible ctl list(): List[Text]
}

handler h(a: Int) { }
handler none { }
def f(a, b) { [a, b] }
task t(): Unit { () }

task main(): Any {
  perform fs.write("a");
  perform fs.write("a", "b", "c");
  perform fs.list("a");
  f(1);
  t(1);
  handle { 1 } with h;
  handle { 1 } with none(1);
  return f()
}
