# Three nested handlers; each clause resumes and then wraps what came back. The worker performs the innermost
# operation first and the outermost last, so the answer is the outer wrap around the middle one around the inner
# one: the inner clause's remaining work is part of what the outer clauses captured.

effect one { reversible ctl go(): Int }
effect two { reversible ctl go(): Int }
effect three { reversible ctl go(): Int }

task main(): Text / {} {
  handle {
    handle {
      handle {
        let a = perform one.go();
        let b = perform two.go();
        let c = perform three.go();
        if a + b + c == 6 then { return "six" } else { return "not six" }
      } with {
        ctl one.go() { let rest = resume(1); return "inner(" ++ rest ++ ")" }
      }: Text
    } with {
      ctl two.go() { let rest = resume(2); return "middle(" ++ rest ++ ")" }
    }: Text
  } with {
    ctl three.go() { let rest = resume(3); return "outer(" ++ rest ++ ")" }
  }: Text
}
