prelude
import Mini.Proof
