prelude
import Mini.Proof
namespace Mini

theorem double_even (n : Nat) : Even (double n) := ⟨n, rfl⟩
theorem double_zero : Eq (double 0) 0 := rfl
end Mini
