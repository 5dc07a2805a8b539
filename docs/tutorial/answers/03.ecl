effect one { reversible ctl go(): Int }
effect two { reversible ctl go(): Int }
effect three { reversible ctl go(): Int }

task main(): Text / {} {
  handle {
    handle {
      handle {
        let c = perform three.go();
        let b = perform two.go();
        let a = perform one.go();
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
