task main(): Int {
  let x = 1
  let y = if x == 1 then { 2 } else { 3 }
  perform fs.write("a", "b")
  return x + y
}
