effect fs { reversible ctl write(path: Text): Unit }
effect net { reversible ctl fetch(url: Text): Text }

handler quiet() { fun fs.write(_) { return () } }

def twice(n: Int) { n * 2 }

task main(count: Int, kind: String, share: Float): Int / {fs, nett, fs.wirte} {
  let total = cuont + _;
  perform sf.write("a");
  perform fs.fetch("a");
  let a = twise(1);
  let b = count(1);
  let c = quiet(1);
  handle { perform fs.write("a") } with quite();
  handle { perform fs.write("a") } with twice;
  handle { perform fs.write("a") } with {
    ctl fs.delete(p) { resume(p) }
    fun disk.write(p) { return p }
  }
  let d: Txet = n;
  return total + a + b + c + d
}

# The body of a def sees its parameters only.
def other() { count }
