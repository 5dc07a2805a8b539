# An imported trace is runtime_only: there is no program with which it could be compared.
task main(): Text / {} { return "runtime_only" }
