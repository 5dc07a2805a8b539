task main(): Int {
  let x = (1 + 2;
  let y = f(1, [2, 3;
  return {a: 1;
}
