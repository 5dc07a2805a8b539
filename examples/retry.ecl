# Retry at most five times: `repeat` carries the state from round to round and stops when `while` says so.

effect build { compensable ctl attempt(number: Int): {ok: Bool, log: Text} }

type State = {tries: Int, done: Bool, log: Text}

task main(): State / {} {
  handle {
    repeat 5 with state = {tries: 0, done: false, log: ""} while not state.done {
      let result = perform build.attempt(state.tries + 1);
      return {tries: state.tries + 1, done: result.ok, log: state.log ++ result.log}
    }
  } with {
    # A build that succeeds the third time.
    ctl build.attempt(number) {
      if number < 3 then {
        resume({ok: false, log: "failed; "})
      } else {
        resume({ok: true, log: "passed"})
      }
    }
  }: State
}
