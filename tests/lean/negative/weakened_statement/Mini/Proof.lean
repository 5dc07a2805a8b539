prelude
import Mini.Properties
import Mini.Proofs.Basics
namespace Mini.Proof

theorem double_even : Properties.double_even := fun n _ => Mini.double_even n
theorem double_zero : Properties.double_zero := Mini.double_zero
end Mini.Proof
