task main(): Bool { return 1 < 2 <= 3 == true }
