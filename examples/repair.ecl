# A repair worker under two handlers. The inner one notes each answer of the model; the outer one lets only fix.py
# be written. What no handler catches (the model, the audit, the processes, the writes) is asked of the host.

effect fs { reversible ctl write(path: Text, text: Text): Unit }
effect proc { reversible ctl run(argv: List[Text]): {code: Int, out: Text} }
effect model { irreversible ctl call(prompt: Text): Text }
effect audit { reversible fun note(msg: Text): Unit }  # fun: its clause resumes exactly once, implicitly

task repair(bug: Text): {patch: Text, ok: Bool} / {fs, proc, model, audit} {
  handle {
    handle {
      let patch = perform model.call("fix: " ++ bug);
      perform fs.write("fix.py", patch);
      let exit = perform proc.run(["pytest", "-q"]);
      return {patch: patch, ok: exit.code == 0}
    } with {
      ctl model.call(p) { let t = perform model.call(p); perform audit.note(t); resume(t) }
    }
  } with {
    ctl fs.write(p, t) {
      if p == "fix.py" then {
        perform fs.write(p, t);
        resume(())
      } else {
        abort({patch: "", ok: false})
      }
    }
  }
}
