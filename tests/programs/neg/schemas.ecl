type Exit = {code: Int, out?: Text}
type Mode = "fast"

effect proc {
  reversible ctl run(argv: List[Text], mode: Mode): Exit
  reversible fun log(line: Text): Unit
}

def exit(code: Int): Exit { {code: code, out: 1} }

task helper(n: Int): Text { n }

task semicolon(): Int { 1; }
task empty(): Int { }
task bound(): Int { let x = 1; }
task without_else(b: Bool): Int { if b then { 1 } }

task main(b: Bool): {ok: Bool, exits: List[Exit]} {
  perform proc.run(["a", 1], "slow");
  perform proc.run("a", "fast");
  perform proc.log(());
  let mode: Mode = "fsat";
  let exit1: Exit = {code: "1"};
  let exit2: Exit = {cod: 1};
  let exit3: Exit = {out: ""};
  let exit4: Exit = {code: 1, more: true};
  let text: Text = exit(1);
  let whole = {a: {b: 1}};
  let part: {a: {b: Text}} = whole;
  let missing: {a: {b: Int, c: Int}} = whole;
  let extra: {a: {}} = whole;
  helper("a");
  let status: Int = handle { 1 } with {
    return(x) { "a" }
    ctl proc.run(argv, _) {
      if argv == [] then { answer(1) };
      let exit = resume({code: true});
      return exit
    }
    fun proc.log(line) { return line }
  }: Text;
  if b then { return {ok: 1, exits: []} } else { {ok: b, exits: [1]} }
}

task completions(): Any {
  let a = handle { 1 } with { ctl proc.run(a, m) { resume({code: 1}); } }: Int;
  let b = handle { 1 } with { ctl proc.run(a, m) { let r: Text = resume({code: 1}); r } }: Int;
  let c = handle { 1 } with { ctl proc.run(a, m) { let r = resume({code: 1}); r ++ "a" } }: Int;
  let d = handle { 1 } with { ctl proc.run(a, m) { resume({code: 1}); "done" } }: Int;
  return [a, b, c, d]
}
