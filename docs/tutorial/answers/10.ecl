effect fs { reversible ctl write(path: Text, text: Text): Unit }
effect scope {
  reversible ctl fork(name: Text): Unit
  reversible ctl merge(): {merged: Bool}
}

task main(): Bool / {fs, scope} {
  perform scope.fork("draft");
  perform fs.write("note.txt", "written in a branch\n");
  let result = perform scope.merge();
  return result.merged
}
