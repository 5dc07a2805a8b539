task main(): Any {
  return [1.5, 2e10, 007, 0x1F, 1_000, 12abc, 1.2.3, 1e+5]
}
