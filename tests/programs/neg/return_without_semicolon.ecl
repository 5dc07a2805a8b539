task main(): Int {
  return 1
  let y = 2;
  y
}
