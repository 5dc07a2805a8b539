task main(): Int {
  handle { 1 } with {
    return(x) { x }
