# The handler in the middle has no clause for the operation: it is passed, and captured with the rest, so its own
# clause still works after the resume.

effect outer { reversible ctl get(): Int }
effect inner { reversible ctl get(): Int }

task main(): Int / {} {
  handle {
    handle {
      let a = perform outer.get();
      let b = perform inner.get();
      return a + b
    } with {
      return(x) { return x * 10 }
      ctl inner.get() { let rest = resume(2); return rest + 1 }
    }: Int
  } with {
    ctl outer.get() { let rest = resume(1); return rest + 100 }
  }: Int
}
