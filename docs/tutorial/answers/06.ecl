effect fail { reversible ctl because(reason: Text): Int }

def half(n) {
  if n == 0 then { perform fail.because("nothing to halve") } else { return n * 5 }
}

task main(): {ok: Bool, tenths: Int, reason: Text} / {} {
  handle {
    let tenths = half(0);
    return {ok: true, tenths: tenths, reason: ""}
  } with {
    ctl fail.because(reason) { answer({ok: false, tenths: 0, reason: reason}) }
  }
}
