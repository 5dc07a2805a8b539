task main(): Int { let x = ; return x }
