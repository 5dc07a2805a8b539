# An operation that nobody handles is asked of the host. The suspended run is a value: it can be saved, and answered twice,
# which makes two branches with one common prefix.

effect oracle { irreversible ctl choose(options: List[Text]): Text }

task main(): Text / {oracle.choose} {
  let first = perform oracle.choose(["left", "right"]);
  let second = perform oracle.choose(["up", "down"]);
  return first ++ " then " ++ second
}
