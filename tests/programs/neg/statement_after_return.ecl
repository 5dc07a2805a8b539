task main(): Int {
  if true then { return 1; 2 } else { return 3 }
  return 1;
  let y = 2;
  y
}
