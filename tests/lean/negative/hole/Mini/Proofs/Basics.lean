prelude
import Mini.Definitions
namespace Mini

theorem double_even (n : Nat) : Even (double n) := sorry
theorem double_zero : Eq (double 0) 0 := rfl
end Mini
