prelude
import Mini.Definitions
namespace Mini

/-- Not so. -/
theorem double_is_itself (n : Nat) : Eq n (double n) := rfl
theorem double_even (n : Nat) : Even (double n) := ⟨double n, double_is_itself (double n)⟩
theorem double_zero : Eq (double 0) 0 := rfl
end Mini
