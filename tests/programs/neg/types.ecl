type First = {a: Int, b?: Text,, c: Int}

type Second = List

type Third = Int Text

task main(): {a: Int { 1 }
