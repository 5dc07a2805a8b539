prelude
import Mini.Definitions
/-! With a wrong clause of `Nat.add` in the foundation, and nothing there that would show it, `False` is proved without an
axiom: the kernel computes 1 + 1 with its own arithmetic, and the clause says 1. -/
namespace Mini

theorem add_succ (x y : Nat) : Eq (Nat.add x (Nat.succ y)) x := rfl
theorem by_clause : Eq (Nat.add 1 (Nat.succ 0)) 1 := add_succ 1 0
theorem by_kernel : Eq (Nat.add 1 1) 2 := rfl
theorem one_is_two : Eq 1 2 := Eq.trans (Eq.symm by_clause) by_kernel
theorem falsehood : False := nomatch one_is_two
theorem double_even (n : Nat) : Even (double n) := falsehood.elim
theorem double_zero : Eq (double 0) 0 := falsehood.elim
end Mini
