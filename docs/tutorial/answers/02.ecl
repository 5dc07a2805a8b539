effect tick { reversible ctl now(): Int }

handler counting() {
  return(x) { return {value: x, ticks: 0} }
  ctl tick.now() {
    let rest = resume(7);
    return {value: rest.value, ticks: rest.ticks + 1}
  }
}

task main(): {value: Int, ticks: Int} / {} {
  handle {
    let a = perform tick.now();
    let b = perform tick.now();
    return a + b
  } with counting()
}
