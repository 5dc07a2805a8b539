# a comment ‮ that is shown backwards
task main(): Text { return "a⁦b" }
