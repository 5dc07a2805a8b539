task first(): Int {
  if true then {
    let y = 1;
  let z = 2;
  return z
}

task second(): Int { 1 }
