task main(): Int {
  x = 1;
  resume();
  let y = 1 / 2;
  if y = 2 then { 1 } else { 3 }
  if y == 2 { 1 }
  if y == 2 then { 1 }; else { 2 }
  for x in xs { 1 }
  repeat n with x = 1 { x }
  let z = do { 1 } + 2;
  let w = y == not z;
  return
}
