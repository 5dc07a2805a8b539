task main(): Int {
  let x = 1 + perform fs.read("a");
  let y = f(g(1));
  fs.write("a");
  return {a: if x then { 1 } else { 2 }}
}
