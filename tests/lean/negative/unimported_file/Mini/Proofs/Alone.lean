prelude
import Mini.Definitions
namespace Mini

theorem nobody_asks : Eq (double 1) 2 := rfl
end Mini
