prelude
import Mini.Definitions
namespace Mini

axiom everything_is_even (n : Nat) : Even n
theorem double_even (n : Nat) : Even (double n) := everything_is_even (double n)
theorem double_zero : Eq (double 0) 0 := rfl
end Mini
