task main(): Any {
  let a = "not closed;
  let b = "C:\dir";
  let c = "\u12 \u{} \u{1234567} \x";
  let d = "\u{d83d}\u{110000}";
  let e = "raw  bell";
  return "ends with \"
}
