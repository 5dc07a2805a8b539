tsk first(): Int { 1 }

task second(): Int { retrun 1 }

task third(x: Int): Int { if x == 1 than { 1 } esle { 2 } }
