def million(n) { repeat 1000000 with x = n { x + 1 } }

task main(): Int {
  million(1)
}

task fine(): Int {
  1
}
