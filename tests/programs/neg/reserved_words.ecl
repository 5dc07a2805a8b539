effect type { reversible ctl in(let: Text): Unit }

task task(): Int {
  let in = 3;
  return in + 1
}
