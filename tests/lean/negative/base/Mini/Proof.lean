prelude
import Mini.Properties
import Mini.Proofs.Basics
namespace Mini.Proof

theorem double_even : Properties.double_even := Mini.double_even
theorem double_zero : Properties.double_zero := Mini.double_zero
end Mini.Proof
