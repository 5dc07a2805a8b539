task first(): Int { 1 } }

task second(): Int { 2 }
