# A worker, its auditor, and a supervisor around both.
#
# Innermost, the worker plans and calls a model. Around it, every model call is announced before it happens and
# noted after it, in the auditor's clause. Outermost, the supervisor asks a person before a call leaves the
# program, collects the notes, and answers in the worker's place when the person refuses.

effect model { irreversible ctl call(prompt: Text): Text }
effect plan { reversible ctl next(goal: Text): List[Text] }
effect audit {
  reversible fun intent(prompt: Text): Unit
  reversible fun outcome(prompt: Text, reply: Text): Unit
}
effect person { irreversible ctl approve(question: Text): Bool }

type Report = {summary: Text, approved: Bool}

# What is asked of the model for one goal.
def worker(goal: Text): Report {
  let steps = perform plan.next(goal);
  let reply = perform model.call("do: " ++ goal);
  return {summary: reply, approved: steps != []}
}

task main(goal: Text): Report / {model.call, person.approve, audit} {
  # Level three: the supervisor.
  handle {
    # Level two: the auditor.
    handle {
      # Level one: the planner.
      handle {
        worker(goal)
      } with {
        ctl plan.next(g) { resume(["read " ++ g, "write " ++ g]) }
      }: Report
    } with {
      ctl model.call(prompt) {
        perform audit.intent(prompt);
        let reply = perform model.call(prompt);
        perform audit.outcome(prompt, reply);
        resume(reply)
      }
    }: Report
  } with {
    ctl model.call(prompt) {
      let ok = perform person.approve("may I ask the model: " ++ prompt ++ "?");
      if ok then {
        let reply = perform model.call(prompt);
        resume(reply)
      } else {
        abort({summary: "refused", approved: false})
      }
    }
  }: Report
}
