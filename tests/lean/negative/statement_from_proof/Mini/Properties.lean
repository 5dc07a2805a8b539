prelude
import Mini.Proofs.Basics
namespace Mini.Properties

/-- `double` makes even numbers. -/
def double_even : Prop := ∀ n, Even (double n)
/-- Doubling nothing makes nothing. -/
def double_zero : Prop := Eq (double 0) 0
end Mini.Properties
