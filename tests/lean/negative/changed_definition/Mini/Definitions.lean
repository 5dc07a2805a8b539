prelude
import Mini.Foundation
namespace Mini

/-- Add a number to itself, twice. -/
def double (n : Nat) : Nat := Nat.add (Nat.add n n) (Nat.add n n)
/-- A number that `double` makes. -/
def Even (n : Nat) : Prop := Exists fun half => Eq n (double half)
end Mini
