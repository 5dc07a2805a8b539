prelude
import Mini.Definitions
/-! What is claimed; the words axiom and sorry in comments, /- nested -/ or not, are no constructs. -/
namespace Mini.Properties

/-- `double` makes even numbers. -/
def double_even : Prop := ∀ n, Even (double n)
/-- Doubling nothing makes nothing. -/
def double_zero : Prop := Eq (double 0) 0
end Mini.Properties
