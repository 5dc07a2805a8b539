prelude
import Eclogue.Runtime.Lookup
/-!
# Merging

Three-way merge against the fork point, conflicts, and the layer that puts a merged tree on top of a stack.
-/
namespace Eclogue.Files

/-- Equality of nodes. -/
def Node.beq : Node → Node → Bool
  | .file a b, .file c d => and (Nat.beq a c) (Nat.beq b d)
  | .link a, .link b => Nat.beq a b
  | .dir a, .dir b => Nat.beq a b
  | .file _ _, .link _ => false
  | .file _ _, .dir _ => false
  | .link _, .file _ _ => false
  | .link _, .dir _ => false
  | .dir _, .file _ _ => false
  | .dir _, .link _ => false
/-- Equality test on what a path may name. -/
def same : Option Node → Option Node → Bool
  | none, none => true
  | some a, some b => Node.beq a b
  | none, some _ => false
  | some _, none => false
theorem merge_cov {q : Path} {l k : List Path} {x y : Option Node} : (b : Bool) → Or (Eq x none) (Mem q l) → Or (Eq y none) (Mem q k) →
    Or (Eq (cond b x y) none) (Mem q (List.append l k))
  | true, .inl h, _ => .inl h
  | true, .inr m, _ => .inr (mem_left m)
  | false, _, .inl h => .inl h
  | false, _, .inr m => .inr (mem_right _ m)
/-- What the child changed since the fork, over the parent. -/
def merge3 (B P C : FileTree) : FileTree where
  get q := cond (same (C.get q) (B.get q)) (P.get q) (C.get q)
  paths := List.append P.paths C.paths
  covered q := merge_cov _ (P.covered q) (C.covered q)
/-- Both changed the path, differently. -/
def clash (b p c : Option Node) : Bool := and (not (same c b)) (and (not (same p b)) (not (same p c)))
/-- The merged tree would have something here whose parent is no directory. -/
def orphan (M : FileTree) : Path → Bool
  | .root => false
  | .sub p n => and (isPresent (M.get (.sub p n))) (not (isDirectory (M.get p)))
/-- A conflict at a path. -/
def conflict (B P C : FileTree) (q : Path) : Bool :=
  and (or (isPresent (P.get q)) (isPresent (C.get q))) (or (clash (B.get q) (P.get q) (C.get q)) (orphan (merge3 B P C) q))
/-- The conflict list. -/
def conflicts (B P C : FileTree) : List Path := filter (conflict B P C) (List.append P.paths C.paths)
/-- Is there any conflict? -/
def conflicted (B P C : FileTree) : Bool := any (conflict B P C) (List.append P.paths C.paths)

/-- Did a tree leave a path as it was at the fork? -/
def Kept (B T : FileTree) (q : Path) : Prop := Eq (T.get q) (B.get q)
/-- Two deltas touch no path in common. -/
def Disjoint (B T B' T' : FileTree) : Prop := (q : Path) → Or (Kept B T q) (Kept B' T' q)
/-- Two deltas touch neither the same path nor a directory and its child. -/
def Separate (B P C : FileTree) : Prop := And (Disjoint B C B P)
  ((p : Path) → (n : Nat) → And (Or (Kept B C p) (Kept B P (.sub p n))) (Or (Kept B P p) (Kept B C (.sub p n))))
theorem diff_cov {q : Path} {l k : List Path} : {x y : Option Node} → Or (Eq x none) (Mem q l) → Or (Eq y none) (Mem q k) →
    Or (Eq (cond (same x y) none (some x)) none) (Mem q (List.append l k))
  | _, _, .inr m, _ => .inr (mem_left m)
  | _, _, _, .inr m => .inr (mem_right _ m)
  | none, none, .inl _, .inl _ => .inl rfl
  | some _, _, .inl h, _ => nomatch h
  | none, some _, _, .inl h => nomatch h
/-- The paths whose node changed from `B` to `T`, each with what is there now. -/
def diff (B T : FileTree) : PathMap (Option Node) where
  get q := cond (same (T.get q) (B.get q)) none (some (T.get q))
  paths := List.append T.paths B.paths
  covered q := diff_cov (T.covered q) (B.covered q)
/-- The new node, if the diff has one. -/
def patchAt (old : Option Node) : Option (Option Node) → Option Node
  | none => old
  | some x => x
/-- The entry that turns a lower node into the wanted one. -/
def liftAt : Option Node → Option Node → Entry
  | none, _ => .gone
  | some (.dir m), some (.dir _) => .merged m
  | some (.dir m), some (.file _ _) => .solid (.dir m)
  | some (.dir m), some (.link _) => .solid (.dir m)
  | some (.dir m), none => .solid (.dir m)
  | some (.file c m), _ => .solid (.file c m)
  | some (.link t), _ => .solid (.link t)
theorem lift_cov {q : Path} {l k : List Path} {e : Entry} : {x y : Option Node} → Or (Eq x none) (Mem q l) → Or (Eq y none) (Mem q k) →
    Or (Eq (cond (same x y) none (some e)) none) (Mem q (List.append l k))
  | _, _, .inr m, _ => .inr (mem_left m)
  | _, _, _, .inr m => .inr (mem_right _ m)
  | none, none, .inl _, .inl _ => .inl rfl
  | some _, _, .inl h, _ => nomatch h
  | none, some _, _, .inl h => nomatch h
/-- The layer that makes `M` of `L`: an entry wherever they differ. -/
def lift (L M : FileTree) : Layer where
  get q := cond (same (M.get q) (L.get q)) none (some (liftAt (M.get q) (L.get q)))
  paths := List.append M.paths L.paths
  covered q := lift_cov (M.covered q) (L.covered q)
end Eclogue.Files
