prelude
import Eclogue.Runtime.Path
/-!
# Layered file systems

Trees (what a user sees), layers (what an overlay stores), and the operations on both.
-/
namespace Eclogue.Files

/-- What a path can name. Contents and link targets are digests. -/
inductive Node where
  | file (content mode : Nat)
  | link (target : Nat)
  | dir (mode : Nat)
/-- What a layer can say about a path. `gone` is a whiteout; `solid n` hides all that lies below in lower layers
(a file, a link, or, as `solid (dir m)`, an opaque directory); `merged m` is a directory that shows what lies below. -/
inductive Entry where
  | gone
  | solid (n : Node)
  | merged (mode : Nat)
/-- The flat file system: what users think they have. -/
abbrev FileTree := PathMap Node
/-- One layer of an overlay. -/
abbrev Layer := PathMap Entry

/-- What an entry shows at its own path. -/
def content : Entry → Option Node
  | .gone => none
  | .solid n => some n
  | .merged m => some (.dir m)
/-- Does an entry hide what lower layers have strictly below its path? -/
def hider : Option Entry → Bool
  | none => false
  | some .gone => true
  | some (.solid _) => true
  | some (.merged _) => false
/-- Does a layer hide what lower layers have at this path, by an entry at a proper ancestor? -/
def hides (u : Path → Option Entry) : Path → Bool
  | .root => false
  | .sub p _ => or (hider (u p)) (hides u p)
/-- The lower node, unless hidden. -/
def unlessHidden : Bool → Option Node → Option Node
  | true, _ => none
  | false, x => x
/-- One path of a layer over a tree: own entry, hidden by it?, node below. -/
def showAt : Option Entry → Bool → Option Node → Option Node
  | some e, _, _ => content e
  | none, h, x => unlessHidden h x
theorem keep_none : (h : Bool) → Eq (unlessHidden h none) none
  | true => rfl
  | false => rfl
theorem paint_cov {h : Bool} {l l' : List Path} {p : Path} : (u : Option Entry) → {x : Option Node} → Or (Eq u none) (Mem p l) →
    Or (Eq x none) (Mem p l') → Or (Eq (showAt u h x) none) (Mem p (List.append l l'))
  | none, _, _, .inl e => .inl (e ▸ keep_none h)
  | none, _, _, .inr m => .inr (mem_right _ m)
  | some _, _, .inr m, _ => .inr (mem_left m)
/-- A layer over a tree. -/
def over (U : Layer) (T : FileTree) : FileTree where
  get p := showAt (U.get p) (hides U.get p) (T.get p)
  paths := List.append U.paths T.paths
  covered p := paint_cov (U.get p) (U.covered p) (T.covered p)
/-- The merged view of layers, topmost first. -/
def view : List Layer → FileTree
  | .nil => PathMap.empty
  | .cons U Ls => over U (view Ls)

/-! ### Errors, operations, plans. `decide` sees only a tree, so both models share it. -/
/-- The error codes. -/
inductive ErrorCode where
  | enoent | eexist | enotdir | eisdir | enotempty | ebusy | eloop | einval | exdev
/-- The operations; paths are already resolved, no operation follows a link. -/
inductive Operation where
  | write (p : Path) (content mode : Nat)   -- create a file, or replace its content and unlessHidden its mode
  | mkdir (p : Path) (mode : Nat)
  | symlink (p : Path) (target : Nat)
  | unlink (p : Path)
  | rmdir (p : Path)
  | rmtree (p : Path)                       -- remove a file, a link, or a directory with all that it has
  | chmod (p : Path) (mode : Nat)
  | rename (src dst : Path)                 -- a directory too: what `mv` does, not the system call (see `renameCall`)
/-- The primitive changes. -/
inductive Change where
  | skip
  | stamp (p : Path) (x : Option Node)      -- the subtree at `p` becomes one node, or nothing
  | relabel (p : Path) (mode : Nat)         -- the mode of a directory
  | move (src dst : Path)                   -- the subtree at `dst` becomes that of `src`, which goes
/-- What an operation is going to do. -/
inductive Plan where
  | fail (e : ErrorCode)
  | act (a : Change)

/-- What a path component must be. -/
def directoryError : Option Node → Option ErrorCode
  | none => some .enoent
  | some (.dir _) => none
  | some (.file _ _) => some .enotdir
  | some (.link _) => some .enotdir
/-- The first of two errors. -/
def firstError : Option ErrorCode → Option ErrorCode → Option ErrorCode
  | some e, _ => some e
  | none, e => e
/-- Are all proper ancestors directories? else the error of the first that is not, from the root. -/
def walk (t : Path → Option Node) : Path → Option ErrorCode
  | .root => none
  | .sub p _ => firstError (walk t p) (directoryError (t p))
/-- Is `q` a child of `p`? -/
def childOf (p : Path) : Path → Bool
  | .root => false
  | .sub q _ => Path.beq p q
/-- Is there something? -/
def isPresent {α : Type} : Option α → Bool
  | none => false
  | some _ => true
/-- Has a directory any child? -/
def hasChild (T : FileTree) (p : Path) : Bool := any (fun q => and (childOf p q) (isPresent (T.get q))) T.paths

/-- Go on unless there was an error. -/
def unlessError : Option ErrorCode → Plan → Plan
  | some e, _ => .fail e
  | none, k => k
/-- Write a file: create it, or replace its content; not through a link, not over a directory. -/
def writePlan (p : Path) (c m : Nat) : Option Node → Plan
  | none => .act (.stamp p (some (.file c m)))
  | some (.file _ m') => .act (.stamp p (some (.file c m')))
  | some (.link _) => .fail .eloop
  | some (.dir _) => .fail .eisdir
/-- Create a node where there is none. -/
def createPlan (p : Path) (n : Node) : Option Node → Plan
  | none => .act (.stamp p (some n))
  | some _ => .fail .eexist
/-- Remove a file or a link. -/
def unlinkPlan (p : Path) : Option Node → Plan
  | none => .fail .enoent
  | some (.dir _) => .fail .eisdir
  | some (.file _ _) => .act (.stamp p none)
  | some (.link _) => .act (.stamp p none)
/-- Remove a directory (the flag: has it children?). -/
def rmdirPlan (p : Path) : Bool → Option Node → Plan
  | _, none => .fail .enoent
  | _, some (.file _ _) => .fail .enotdir
  | _, some (.link _) => .fail .enotdir
  | true, some (.dir _) => .fail .enotempty
  | false, some (.dir _) => .act (.stamp p none)
/-- Remove whatever is there, with all that it has. -/
def rmtreePlan (p : Path) : Option Node → Plan
  | none => .fail .enoent
  | some _ => .act (.stamp p none)
/-- Change the mode of a file or a directory. -/
def chmodPlan (p : Path) (m : Nat) : Option Node → Plan
  | none => .fail .enoent
  | some (.link _) => .fail .eloop
  | some (.file c _) => .act (.stamp p (some (.file c m)))
  | some (.dir _) => .act (.relabel p m)
/-- Nobody removes or moves the root. -/
def notTheRoot : Path → Plan → Plan
  | .root, _ => .fail .ebusy
  | .sub _ _, k => k
/-- A rename onto what is there already (the flag: has the target children?). -/
def ontoPlan (s d : Path) : Bool → Node → Option Node → Plan
  | _, _, none => .act (.move s d)
  | false, .dir _, some (.dir _) => .act (.move s d)
  | true, .dir _, some (.dir _) => .fail .enotempty
  | _, .dir _, some (.file _ _) => .fail .enotdir
  | _, .dir _, some (.link _) => .fail .enotdir
  | _, .file _ _, some (.dir _) => .fail .eisdir
  | _, .link _, some (.dir _) => .fail .eisdir
  | _, .file _ _, some (.file _ _) => .act (.move s d)
  | _, .file _ _, some (.link _) => .act (.move s d)
  | _, .link _, some (.file _ _) => .act (.move s d)
  | _, .link _, some (.link _) => .act (.move s d)
/-- A rename, by where the target lies from the source and the source from the target. -/
def renamePlan (s d : Path) (full : Bool) (x y : Option Node) : Option Path → Option Path → Plan
  | some .root, _ => .act .skip
  | some (.sub _ _), _ => .fail .einval
  | none, some _ => .fail .enotempty
  | none, none => match x with
    | none => .fail .enoent
    | some n => ontoPlan s d full n y
/-- The source of a rename must be there, before anything else is looked at. -/
def sourceError : Option Node → Option ErrorCode
  | none => some .enoent
  | some _ => none
/-- The plan of an operation. -/
def decide (T : FileTree) : Operation → Plan
  | .write p c m => unlessError (walk T.get p) (writePlan p c m (T.get p))
  | .mkdir p m => unlessError (walk T.get p) (createPlan p (.dir m) (T.get p))
  | .symlink p t => unlessError (walk T.get p) (createPlan p (.link t) (T.get p))
  | .unlink p => unlessError (walk T.get p) (unlinkPlan p (T.get p))
  | .rmdir p => notTheRoot p (unlessError (walk T.get p) (rmdirPlan p (hasChild T p) (T.get p)))
  | .rmtree p => notTheRoot p (unlessError (walk T.get p) (rmtreePlan p (T.get p)))
  | .chmod p m => unlessError (walk T.get p) (chmodPlan p m (T.get p))
  | .rename s d => notTheRoot s (notTheRoot d (unlessError (walk T.get s) (unlessError (walk T.get d) (unlessError (sourceError (T.get s))
      (renamePlan s d (hasChild T d) (T.get s) (T.get d) (strip s d) (strip d s))))))

/-! ### The flat model -/
/-- A stamp at one path: what it puts there, what was there, where the path lies from the stamp. -/
def stampAt {α : Type} (x old : Option α) : Option Path → Option α
  | none => old
  | some .root => x
  | some (.sub _ _) => none
theorem stamp_at_covered {α : Type} {x old : Option α} {p q : Path} {l : List Path} (r : Option Path) (e : Eq (strip p q) r)
    (h : Or (Eq old none) (Mem q l)) : Or (Eq (stampAt x old r) none) (Mem q (.cons p l)) :=
  match r, e, h with
  | none, _, .inl h => .inl h
  | none, _, .inr m => .inr (.tail m)
  | some .root, e, _ => .inr (show Mem q (.cons p l) from strip_eq q e ▸ .head)
  | some (.sub _ _), _, _ => .inl rfl
/-- The subtree at `p` becomes one node, or nothing. -/
def FileTree.stamp (p : Path) (x : Option Node) (T : FileTree) : FileTree where
  get q := stampAt x (T.get q) (strip p q)
  paths := .cons p T.paths
  covered q := stamp_at_covered _ rfl (T.covered q)
theorem choose_cov {α : Type} {x old : Option α} {p q : Path} {l : List Path} : (b : Bool) → Eq (Path.beq p q) b →
    Or (Eq old none) (Mem q l) → Or (Eq (cond b x old) none) (Mem q (.cons p l))
  | true, e, _ => .inr (show Mem q (.cons p l) from Path.eq_of_beq e ▸ .head)
  | false, _, .inl h => .inl h
  | false, _, .inr m => .inr (.tail m)
/-- A new mode for a directory. -/
def FileTree.relabel (p : Path) (m : Nat) (T : FileTree) : FileTree where
  get q := cond (Path.beq p q) (some (.dir m)) (T.get q)
  paths := .cons p T.paths
  covered q := choose_cov _ rfl (T.covered q)
/-- A move at one path, by where the path lies from the target and from the source. -/
def moveAt (T : FileTree) (s : Path) (old : Option Node) : Option Path → Option Path → Option Node
  | some r, _ => T.get (join s r)
  | none, some _ => none
  | none, none => old
/-- The path below `d` that a relative path names, or the path itself. -/
def rerootAt (d q : Path) : Option Path → Path
  | some r => join d r
  | none => q
/-- Carry a path from below the source to below the target. -/
def reroot (s d q : Path) : Path := rerootAt d q (strip s q)
theorem mem_reroot {s d r : Path} {l : List Path} (m : Mem (join s r) l) : Mem (join d r) (map (reroot s d) l) :=
  have h : Eq (reroot s d (join s r)) (join d r) := congrArg (rerootAt d (join s r)) (strip_join s r)
  h ▸ mem_map (reroot s d) m
theorem move_at_covered {T : FileTree} {s d q : Path} {l : List Path} {old : Option Node} (r : Option Path) (e : Eq (strip d q) r)
    (r' : Option Path) (h : Or (Eq old none) (Mem q l)) :
    Or (Eq (moveAt T s old r r') none) (Mem q (List.append (map (reroot s d) T.paths) l)) :=
  match r, e, r', h with
  | none, _, some _, _ => .inl rfl
  | none, _, none, .inl h => .inl h
  | none, _, none, .inr m => .inr (mem_right _ m)
  | some r, e, _, _ => match T.covered (join s r) with
    | .inl h => .inl h
    | .inr m => .inr (mem_left (show Mem q _ from strip_eq q e ▸ mem_reroot m))
/-- The subtree at `d` becomes that of `s`, and that of `s` goes. -/
def FileTree.move (s d : Path) (T : FileTree) : FileTree where
  get q := moveAt T s (T.get q) (strip d q) (strip s q)
  paths := List.append (map (reroot s d) T.paths) T.paths
  covered q := move_at_covered _ rfl _ (T.covered q)
/-- A primitive change of a tree. -/
def Change.onTree : Change → FileTree → FileTree
  | .skip, T => T
  | .stamp p x, T => T.stamp p x
  | .relabel p m, T => T.relabel p m
  | .move s d, T => T.move s d
/-- Carry out a plan on a tree. -/
def FileTree.execute (T : FileTree) : Plan → Prod FileTree (Option ErrorCode)
  | .fail e => ⟨T, some e⟩
  | .act a => ⟨a.onTree T, none⟩
/-- Run an operation on a tree: the new tree, and the error if there was one. -/
def FileTree.run (T : FileTree) (o : Operation) : Prod FileTree (Option ErrorCode) := T.execute (decide T o)

/-! ### The overlay: all changes go to the top layer `U`; `V` is the view, from which nodes are copied up -/
/-- Copy-up of an ancestor directory. -/
def copyDir : Option Node → Option Entry
  | some (.dir m) => some (.merged m)
  | some (.file _ _) => none
  | some (.link _) => none
  | none => none
/-- An entry outside the changed subtrees: unchanged, except that ancestor directories (`a`) are copied up. -/
def copyUp (a : Bool) (v : Option Node) : Option Entry → Option Entry
  | some e => some e
  | none => cond a (copyDir v) none
theorem up_cov {q : Path} {l k : List Path} {v : Option Node} : (a : Bool) → (Eq a true → Mem q k) → (u : Option Entry) →
    Or (Eq u none) (Mem q l) → Or (Eq (copyUp a v u) none) (Mem q (List.append k l))
  | _, _, some _, .inr m => .inr (mem_right _ m)
  | true, f, none, _ => .inr (mem_left (f rfl))
  | false, _, none, _ => .inl rfl
/-- The entry that replaces a subtree: opaque, or a whiteout. -/
def sealed : Option Node → Entry
  | none => .gone
  | some n => .solid n
/-- A stamp on the top layer. -/
def Layer.stamp (p : Path) (x : Option Node) (V : FileTree) (U : Layer) : Layer where
  get q := stampAt (some (sealed x)) (copyUp (above q p) (V.get q) (U.get q)) (strip p q)
  paths := .cons p (List.append (ancestors p) U.paths)
  covered q := stamp_at_covered _ rfl (up_cov _ (mem_ancestors p) _ (U.covered q))
/-- A directory's own entry after `chmod`: copied up, and as opaque as it was. -/
def remode (m : Nat) : Option Entry → Entry
  | none => .merged m
  | some (.merged _) => .merged m
  | some (.solid _) => .solid (.dir m)
  | some .gone => .solid (.dir m)
/-- `chmod` of a directory on the top layer. -/
def Layer.relabel (p : Path) (m : Nat) (V : FileTree) (U : Layer) : Layer where
  get q := cond (Path.beq p q) (some (remode m (U.get q))) (copyUp (above q p) (V.get q) (U.get q))
  paths := .cons p (List.append (ancestors p) U.paths)
  covered q := choose_cov _ rfl (up_cov _ (mem_ancestors p) _ (U.covered q))
/-- Copy-up of a whole node. -/
def copy : Option Node → Option Entry
  | none => none
  | some n => some (.solid n)
/-- A move at one path of the top layer: the copied subtree, the whiteout, or what was there. -/
def moveEntry (V : FileTree) (s : Path) (old : Option Entry) : Option Path → Option Path → Option Entry
  | some .root, _ => some (sealed (V.get s))
  | some (.sub r n), _ => copy (V.get (join s (.sub r n)))
  | none, some .root => some .gone
  | none, some (.sub _ _) => none
  | none, none => old
theorem copy_cov {q : Path} {l : List Path} : (x : Option Node) → Or (Eq x none) (Mem q l) → Or (Eq (copy x) none) (Mem q l)
  | _, .inl h => .inl (h ▸ rfl)
  | _, .inr m => .inr m
theorem move_entry_covered {V : FileTree} {s d q : Path} {l : List Path} {old : Option Entry} (r : Option Path) (e : Eq (strip d q) r)
    (r' : Option Path) (e' : Eq (strip s q) r') (h : Or (Eq old none) (Mem q l)) :
    Or (Eq (moveEntry V s old r r') none) (Mem q (.cons d (.cons s (List.append (map (reroot s d) V.paths) l)))) :=
  match r, e, r', e', h with
  | none, _, some .root, e', _ => .inr (.tail (show Mem q (.cons s _) from strip_eq q e' ▸ .head))
  | none, _, some (.sub _ _), _, _ => .inl rfl
  | none, _, none, _, .inl h => .inl h
  | none, _, none, _, .inr m => .inr (.tail (.tail (mem_right _ m)))
  | some .root, e, _, _, _ => .inr (show Mem q (.cons d _) from strip_eq q e ▸ .head)
  | some (.sub r n), e, _, _, _ => match V.covered (join s (.sub r n)) with
    | .inl h => .inl (show Eq (copy (V.get (join s (.sub r n)))) none from h ▸ rfl)
    | .inr m => .inr (.tail (.tail (mem_left (show Mem q _ from strip_eq q e ▸ mem_reroot m))))
/-- Is `q` an ancestor of one of two paths? -/
def aboveEither (q s d : Path) : Bool := or (above q s) (above q d)
theorem mem_above2 {q s d : Path} (h : Eq (aboveEither q s d) true) : Mem q (List.append (ancestors s) (ancestors d)) :=
  match or_cases h with
  | .inl h => mem_left (mem_ancestors s h)
  | .inr h => mem_right _ (mem_ancestors d h)
/-- A move on the top layer: copy the whole subtree up, opaque, and a whiteout where it was. -/
def Layer.move (s d : Path) (V : FileTree) (U : Layer) : Layer where
  get q := moveEntry V s (copyUp (aboveEither q s d) (V.get q) (U.get q)) (strip d q) (strip s q)
  paths := .cons d (.cons s (List.append (map (reroot s d) V.paths) (List.append (List.append (ancestors s) (ancestors d)) U.paths)))
  covered q := move_entry_covered _ rfl _ rfl (up_cov _ mem_above2 _ (U.covered q))
/-- A primitive change of the top layer. -/
def Change.onLayer : Change → FileTree → Layer → Layer
  | .skip, _, U => U
  | .stamp p x, V, U => U.stamp p x V
  | .relabel p m, V, U => U.relabel p m V
  | .move s d, V, U => U.move s d V

/-- A stack: a writable top layer over frozen ones. -/
structure Stack where
  top : Layer
  low : List Layer
/-- What a stack shows. -/
def Stack.view (S : Stack) : FileTree := over S.top (Eclogue.Files.view S.low)
/-- Carry out a plan on a stack: in its top layer. -/
def Stack.execute (S : Stack) : Plan → Prod Stack (Option ErrorCode)
  | .fail e => ⟨S, some e⟩
  | .act a => ⟨⟨a.onLayer S.view S.top, S.low⟩, none⟩
/-- Run an operation on a stack: the new stack, and the error if there was one. -/
def Stack.run (S : Stack) (o : Operation) : Prod Stack (Option ErrorCode) := S.execute (decide S.view o)
end Eclogue.Files
