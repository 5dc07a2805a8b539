effect oracle { reversible ctl number(): Int }

task main(): Int / {oracle} {
  let n = perform oracle.number();
  return n + 1
}
