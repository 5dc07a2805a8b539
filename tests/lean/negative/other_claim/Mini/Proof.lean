prelude
import Mini.Properties
import Mini.Proofs.Basics
namespace Mini.Proof

theorem double_even : Properties.double_zero := Mini.double_zero
theorem double_zero : Properties.double_zero := Mini.double_zero
end Mini.Proof
