# A write outside the workspace is refused: the clause aborts, and the worker never goes on.

effect fs {
  reversible ctl write(path: Text, text: Text): Unit
  reversible ctl read(path: Text): Text
}

task main(): {written: Int, refused: Text} / {fs.read} {
  handle {
    let text = "secret";
    perform fs.write("notes.txt", text);
    perform fs.write("/etc/passwd", text);
    return {written: 2, refused: ""}
  } with {
    ctl fs.write(path, _) {
      if path == "/etc/passwd" then { abort({written: 1, refused: path}) };
      resume(())
    }
  }: {written: Int, refused: Text}
}
