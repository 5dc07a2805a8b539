effect ask { reversible ctl number(): Int }

task main(unused: Int): Int {
  let a = perform ask.number();
  let _b = perform ask.number();
  let _ = perform ask.number();
  let c = 1;
  let c = c + 1;
  handle { perform ask.number() } with {
    ctl ask.number() {
      let d = 1;
      resume(2);
    }
  }
}
