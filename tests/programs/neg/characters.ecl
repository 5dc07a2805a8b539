task main(): Any {
  let a = true && not false || !true;
  let b = 'single';
  let c = “curly”;
  let d = a → b;
  let e = 1；
  let f = 2;
  let g = $a;
  // a comment
  let h = 3 /* another */;
  return a
}
