# A supervisor tries each patch in a branch of its own, runs the tests there, and keeps the one that passes.

effect fs { reversible ctl patch(path: Text, patch: Text): {ok: Bool, error: Text} }
effect proc { reversible ctl run(argv: List[Text]): {code: Int, out: Text} }
effect scope {
  reversible ctl fork(name: Text): Unit
  reversible ctl merge(): {merged: Bool, conflicts: List[{path: Text, kind: Text}]}
  reversible ctl discard(): Unit
}
effect bug { reversible ctl fix(name: Text, patch: Text): Bool }

# The worker knows nothing of branches or tests: it proposes patches until one is good.
task main(python: Text): {fixed: Bool, by: Text} / {fs, proc, scope} {
  handle {
    let first = perform bug.fix(
      "add one",
      "@@ -2,1 +2,1 @@\n-    return sum(numbers) / len(numbers) - 1\n+    return sum(numbers) / len(numbers) + 1\n"
    );
    if first then {
      return {fixed: true, by: "add one"}
    } else {
      let second = perform bug.fix(
        "no offset",
        "@@ -2,1 +2,1 @@\n-    return sum(numbers) / len(numbers) - 1\n+    return sum(numbers) / len(numbers)\n"
      );
      return {fixed: second, by: "no offset"}
    }
  } with {
    ctl bug.fix(name, patch) {
      perform scope.fork(name);
      let applied = perform fs.patch("calculator.py", patch);
      let tests = perform proc.run([python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]);
      let good = applied.ok and tests.code == 0;
      if good then {
        let merge = perform scope.merge();
        resume(merge.merged)
      } else {
        perform scope.discard();
        resume(false)
      }
    }
  }: {fixed: Bool, by: Text}
}
