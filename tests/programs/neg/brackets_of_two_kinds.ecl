task main(): Int {
  let x = (1 + 2];
  return 1)
}
