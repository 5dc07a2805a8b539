prelude
import Mini.Foundation
/-! A function with something to say about it. -/
namespace Mini

/-- Add a number to itself. -/
def double (n : Nat) : Nat := Nat.add n n
/-- A number that `double` makes. -/
def Even (n : Nat) : Prop := Exists fun half => Eq n (double half)
end Mini
