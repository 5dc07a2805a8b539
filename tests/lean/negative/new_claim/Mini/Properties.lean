prelude
import Mini.Definitions
namespace Mini.Properties

/-- `double` makes even numbers. -/
def double_even : Prop := ∀ n, Even (double n)
/-- Doubling nothing makes nothing. -/
def double_zero : Prop := Eq (double 0) 0
/-- One and one. -/
def double_one : Prop := Eq (double 1) 2
end Mini.Properties
