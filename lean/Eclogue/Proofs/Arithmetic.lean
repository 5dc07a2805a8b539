prelude
import Eclogue.Base
/-! Subtraction, order, division and remainder. -/
namespace Eclogue

theorem zero_ble : (n : Nat) → Eq (Nat.ble 0 n) true
  | .zero => rfl
  | .succ _ => rfl
theorem ble_add : (a b : Nat) → Eq (Nat.ble a (Nat.add a b)) true
  | .zero, b => zero_ble (Nat.add 0 b)
  | .succ a, b => Eq.trans (congrArg (Nat.ble (.succ a)) (add_succ_left a b)) (ble_add a b)
theorem ble_of_add {a b n : Nat} (h : Eq (Nat.add a b) n) : Eq (Nat.ble a n) true := h ▸ ble_add a b
theorem sub_succ_succ (n : Nat) : (m : Nat) → Eq (Nat.sub (.succ n) (.succ m)) (Nat.sub n m)
  | .zero => rfl
  | .succ m => Eq.trans (Nat.sub_succ (.succ n) (.succ m)) (Eq.trans (congrArg Nat.pred (sub_succ_succ n m)) (Nat.sub_succ n m).symm)
theorem succ_inj {a b : Nat} (h : Eq (Nat.succ a) (Nat.succ b)) : Eq a b := match h with
  | rfl => rfl
theorem sub_add : (n m : Nat) → Eq (Nat.ble m n) true → Eq (Nat.add (Nat.sub n m) m) n
  | _, .zero, _ => rfl
  | .succ n, .succ m, h => Eq.trans (congrArg (fun x => Nat.add x (.succ m)) (sub_succ_succ n m)) (congrArg Nat.succ (sub_add n m h))
  | .zero, .succ _, h => Bool.noConfusion h
theorem lt_of_not_le : (a b : Nat) → Eq (Nat.ble a b) false → Eq (Nat.ble (.succ b) a) true
  | .zero, .zero, h => Bool.noConfusion h
  | .zero, .succ _, h => Bool.noConfusion h
  | .succ a, .zero, _ => zero_ble a
  | .succ a, .succ b, h => Eq.trans (ble_succ (.succ b) a) (lt_of_not_le a b (Eq.trans (ble_succ a b).symm h))

/-! ### division and remainder -/
theorem regroup (a m r : Nat) : Eq (Nat.add (Nat.add a m) r) (Nat.add (Nat.add a r) m) :=
  Eq.trans (add_assoc a m r) (Eq.trans (congrArg (Nat.add a) (add_comm m r)) (add_assoc a r m).symm)
theorem fuel_div_mod (m : Nat) : (f n : Nat) → Eq (Nat.add (Nat.mul m (Nat.divFuel f n m)) (Nat.modFuel f n m)) n
  | .zero, n => add_zero_left n
  | .succ f, n => go (Nat.ble m n) rfl (fuel_div_mod m f (Nat.sub n m))
where
  go {f n : Nat} : (q : Bool) → Eq (Nat.ble m n) q →
      Eq (Nat.add (Nat.mul m (Nat.divFuel f (Nat.sub n m) m)) (Nat.modFuel f (Nat.sub n m) m)) (Nat.sub n m) →
      Eq (Nat.add (Nat.mul m (cond q (.succ (Nat.divFuel f (Nat.sub n m) m)) 0)) (cond q (Nat.modFuel f (Nat.sub n m) m) n)) n
    | true, e, ih => Eq.trans (regroup _ m _) (Eq.trans (congrArg (fun x => Nat.add x m) ih) (sub_add n m e))
    | false, _, _ => add_zero_left n
/-- A number is divisor times quotient plus remainder. -/
theorem div_mod (n m : Nat) : Eq (Nat.add (Nat.mul (.succ m) (Nat.div n (.succ m))) (Nat.mod n (.succ m))) n := fuel_div_mod (.succ m) n n
theorem fuel_mod_lt (m : Nat) : (f n : Nat) → Eq (Nat.ble n f) true → Eq (Nat.ble (.succ (Nat.modFuel f n (.succ m))) (.succ m)) true
  | .zero, .zero, _ => zero_ble m
  | .zero, .succ _, h => Bool.noConfusion h
  | .succ f, n, h => go (Nat.ble (.succ m) n) rfl (fuel_mod_lt m f (Nat.sub n (.succ m)) (Nat.ble_pred (Nat.ble_sub h m)))
where
  go {f n : Nat} : (q : Bool) → Eq (Nat.ble (.succ m) n) q →
      Eq (Nat.ble (.succ (Nat.modFuel f (Nat.sub n (.succ m)) (.succ m))) (.succ m)) true →
      Eq (Nat.ble (.succ (cond q (Nat.modFuel f (Nat.sub n (.succ m)) (.succ m)) n)) (.succ m)) true
    | true, _, ih => ih
    | false, e, _ => lt_of_not_le (.succ m) n e
/-- The remainder is below the divisor. -/
theorem mod_lt (n m : Nat) : Eq (Nat.ble (.succ (Nat.mod n (.succ m))) (.succ m)) true := fuel_mod_lt m n n (Nat.ble_self n)
theorem fuel_div_le (m : Nat) : (f n : Nat) → Eq (Nat.ble (Nat.divFuel f n m) f) true
  | .zero, _ => rfl
  | .succ f, n => go (Nat.ble m n) (fuel_div_le m f (Nat.sub n m))
where
  go {f n : Nat} : (q : Bool) → Eq (Nat.ble (Nat.divFuel f (Nat.sub n m) m) f) true →
      Eq (Nat.ble (cond q (.succ (Nat.divFuel f (Nat.sub n m) m)) 0) (.succ f)) true
    | true, ih => ih
    | false, _ => rfl
theorem ble_trans_succ {a b : Nat} (h : Eq (Nat.ble a b) true) : Eq (Nat.ble a (.succ b)) true :=
  Nat.ble_of_succ a (.succ b) h
/-- Division by two or more makes a number smaller. -/
theorem div_lt (b k : Nat) : Eq (Nat.ble (Nat.div (.succ k) (.succ (.succ b))) k) true :=
  Eq.trans (congrArg (fun x => Nat.ble x k) (Nat.div_succ (.succ b) (.succ k))) (go (Nat.ble (.succ (.succ b)) (.succ k)) rfl)
where
  small : (a n c : Nat) → Eq (Nat.ble a n) true → Eq (Nat.add n (.succ (.succ c))) (.succ k) → Eq (Nat.ble (.succ a) k) true
    | a, n, c, h, e =>
      have e' : Eq (Nat.add (.succ n) c) k :=
        Eq.trans (add_succ_left n c) (Eq.trans (Nat.add_succ n c).symm (succ_inj (Eq.trans (Nat.add_succ n (.succ c)).symm e)))
      lt_add a n c h e'
  lt_add (a n c : Nat) (h : Eq (Nat.ble a n) true) (e : Eq (Nat.add (.succ n) c) k) : Eq (Nat.ble (.succ a) k) true :=
    have x : Eq (Nat.ble (.succ a) (.succ n)) true := h
    e ▸ le_add (.succ a) (.succ n) x c
  le_add (a n : Nat) (h : Eq (Nat.ble a n) true) : (c : Nat) → Eq (Nat.ble a (Nat.add n c)) true
    | .zero => h
    | .succ c => ble_trans_succ (le_add a n h c)
  go : (q : Bool) → Eq (Nat.ble (.succ (.succ b)) (.succ k)) q →
      Eq (Nat.ble (cond q (.succ (Nat.div (Nat.sub (.succ k) (.succ (.succ b))) (.succ (.succ b)))) 0) k) true
    | true, e => small _ (Nat.sub (.succ k) (.succ (.succ b))) b
        (fuel_div_le (.succ (.succ b)) _ _) (sub_add (.succ k) (.succ (.succ b)) e)
    | false, _ => zero_ble k
end Eclogue
