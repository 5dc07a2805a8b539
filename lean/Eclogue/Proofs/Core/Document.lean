prelude
import Eclogue.Proofs.Core.DocumentTerms
/-! The document of a program determines the program, and so do its canonical bytes. -/
namespace Eclogue

/-! ### chains -/
/-- The form of a chain. -/
noncomputable def formOfChain : Values → Form
  | .nil => .other
  | .cons v .nil => formOf v
  | .cons _ (.cons _ _) => .seq
/-- The form of a computation. -/
def Computation.form : Computation → Form
  | .return _ => .return
  | .let _ _ => .seq
  | .perform _ _ => .perform
  | .handle _ _ _ => .handle
  | .if _ _ _ => .branch
/-- The form of a clause body. -/
def ClauseBody.form : ClauseBody → Form
  | .let _ _ => .seq
  | .if _ _ _ => .branch
  | .answer _ => .answer
  | .abort _ => .abort
  | .resume _ _ => .resume
section
variable {names : Nat → Text}
theorem chain_cons : (c : Computation) → Exists2 fun v vs => Eq (c.chain names) (.cons v vs)
  | .return _ => ⟨_, _, rfl⟩
  | .let _ _ => ⟨_, _, rfl⟩
  | .perform _ _ => ⟨_, _, rfl⟩
  | .handle _ _ _ => ⟨_, _, rfl⟩
  | .if _ _ _ => ⟨_, _, rfl⟩
theorem body_chain_cons : (b : ClauseBody) → Exists2 fun v vs => Eq (b.chain names) (.cons v vs)
  | .let _ _ => ⟨_, _, rfl⟩
  | .if _ _ _ => ⟨_, _, rfl⟩
  | .answer _ => ⟨_, _, rfl⟩
  | .abort _ => ⟨_, _, rfl⟩
  | .resume _ _ => ⟨_, _, rfl⟩
theorem chain_form : (c : Computation) → Eq (formOfChain (c.chain names)) c.form
  | .return _ => rfl
  | .let c k => match chain_cons (names := names) k with
    | ⟨_, _, e⟩ => congrArg (fun x => formOfChain (.cons (sequence (c.chain names)) x)) e
  | .perform _ _ => rfl
  | .handle _ _ _ => rfl
  | .if _ _ _ => rfl
theorem body_chain_form : (b : ClauseBody) → Eq (formOfChain (b.chain names)) b.form
  | .let c b => match body_chain_cons (names := names) b with
    | ⟨_, _, e⟩ => congrArg (fun x => formOfChain (.cons (sequence (c.chain names)) x)) e
  | .if _ _ _ => rfl
  | .answer _ => rfl
  | .abort _ => rfl
  | .resume _ _ => rfl
theorem same_chain_form {c c' : Computation} (h : Eq (c.chain names) (c'.chain names)) : Eq c.form c'.form :=
  Eq.trans (chain_form c).symm (Eq.trans (congrArg formOfChain h) (chain_form c'))
theorem same_body_form {b b' : ClauseBody} (h : Eq (b.chain names) (b'.chain names)) : Eq b.form b'.form :=
  Eq.trans (body_chain_form b).symm (Eq.trans (congrArg formOfChain h) (body_chain_form b'))
/-- Does the form say that a value is a sequence? -/
def isSequence : Form → Bool
  | .seq => true
  | _ => false
/-- The chain has an element, and a single one is no sequence. -/
def Proper : Values → Prop
  | .nil => False
  | .cons v .nil => Eq (isSequence (formOf v)) false
  | .cons _ (.cons _ _) => True
theorem proper_cons {v : Value} {vs : Values} : (Exists2 fun w ws => Eq vs (.cons w ws)) → Proper (.cons v vs)
  | ⟨_, _, e⟩ => Eq.subst (motive := fun x => Proper (.cons v x)) e.symm True.intro
theorem chain_proper : (c : Computation) → Proper (c.chain names)
  | .return _ => rfl
  | .let _ k => proper_cons (chain_cons k)
  | .perform _ _ => rfl
  | .handle _ _ _ => rfl
  | .if _ _ _ => rfl
theorem body_chain_proper : (b : ClauseBody) → Proper (b.chain names)
  | .let _ b => proper_cons (body_chain_cons b)
  | .if _ _ _ => rfl
  | .answer _ => rfl
  | .abort _ => rfl
  | .resume _ _ => rfl
theorem sequence_inj : (l l' : Values) → Proper l → Proper l' → Eq (sequence l) (sequence l') → Eq l l'
  | .cons _ .nil, .cons _ .nil, _, _, h => congrArg (fun x => Values.cons x .nil) h
  | .cons _ .nil, .cons _ (.cons _ _), p, _, h => nomatch Eq.trans p.symm (congrArg (fun x => isSequence (formOf x)) h)
  | .cons _ (.cons _ _), .cons _ .nil, _, p, h => nomatch Eq.trans p.symm (congrArg (fun x => isSequence (formOf x)) h.symm)
  | .cons _ (.cons _ _), .cons _ (.cons _ _), _, _, h => list_value_inj (record1_inj h)
theorem same_chain {c c' : Computation} (h : Eq (sequence (c.chain names)) (sequence (c'.chain names))) : Eq (c.chain names)
    (c'.chain names) :=
  sequence_inj _ _ (chain_proper c) (chain_proper c') h
theorem same_body_chain {b b' : ClauseBody} (h : Eq (sequence (b.chain names)) (sequence (b'.chain names))) : Eq (b.chain names)
    (b'.chain names) :=
  sequence_inj _ _ (body_chain_proper b) (body_chain_proper b') h
end

/-! ### computations -/
/-- Different operations below `n` have different names. -/
def Distinct (names : Nat → Text) (n : Nat) : Prop :=
  (a b : Nat) → Eq (Nat.ble (.succ a) n) true → Eq (Nat.ble (.succ b) n) true → Eq (names a) (names b) → Eq a b
theorem same_expression {e e' : Expression} (h : Eq e.toValue e'.toValue) : Eq e e' := expression_inj e e' (same_expression_form h) h
theorem handle_congr {c r c' r' : Computation} {cs cs' : Clauses} : Eq c c' → Eq r r' → Eq cs cs' → Eq (Computation.handle c r cs)
    (.handle c' r' cs')
  | rfl, rfl, rfl => rfl
theorem if_congr {e e' : Expression} {a b a' b' : Computation} : Eq e e' → Eq a a' → Eq b b' → Eq (Computation.if e a b) (.if e' a' b')
  | rfl, rfl, rfl => rfl
theorem body_if_congr {e e' : Expression} {a b a' b' : ClauseBody} : Eq e e' → Eq a a' → Eq b b' → Eq (ClauseBody.if e a b) (.if e' a' b')
  | rfl, rfl, rfl => rfl
theorem clauses_congr {op op' : Nat} {b b' : ClauseBody} {cs cs' : Clauses} : Eq op op' → Eq b b' → Eq cs cs' →
    Eq (Clauses.cons op b cs) (.cons op' b' cs')
  | rfl, rfl, rfl => rfl
section
variable {names : Nat → Text} {n : Nat} (distinct : Distinct names n)
include distinct
set_option linter.unusedSectionVars false
mutual
theorem computation_inj : (c c' : Computation) → Eq (operationsBelow n c) true → Eq (operationsBelow n c') true → Eq c.form c'.form →
    Eq (c.chain names) (c'.chain names) → Eq c c'
  | .return _, .return _, _, _, _, h => congrArg Computation.return (same_expression (record1_inj (values_cons_inj h).1))
  | .let c k, .let c' k', p, q, _, h =>
    congr_arg2 Computation.let
      (computation_inj c c' (and_true p).1 (and_true q).1 (same_chain_form (same_chain (values_cons_inj h).1))
          (same_chain (values_cons_inj h).1))
      (computation_inj k k' (and_true p).2 (and_true q).2 (same_chain_form (values_cons_inj h).2) (values_cons_inj h).2)
  | .perform op _, .perform op' _, p, q, _, h =>
    congr_arg2 Computation.perform (distinct op op' p q (text_value_inj (record2_inj (values_cons_inj h).1).2))
      (same_expression (record2_inj (values_cons_inj h).1).1)
  | .handle c r cs, .handle c' r' cs', p, q, _, h =>
    handle_congr
      (computation_inj c c' (and_true p).1 (and_true q).1 (same_chain_form (same_chain (record3_inj (values_cons_inj h).1).2.1))
        (same_chain (record3_inj (values_cons_inj h).1).2.1))
      (computation_inj r r' (and_true (and_true p).2).1 (and_true (and_true q).2).1
          (same_chain_form (same_chain (record3_inj (values_cons_inj h).1).2.2))
        (same_chain (record3_inj (values_cons_inj h).1).2.2))
      (clauses_inj cs cs' (and_true (and_true p).2).2 (and_true (and_true q).2).2 (list_value_inj (record3_inj (values_cons_inj h).1).1))
  | .if _ a b, .if _ a' b', p, q, _, h =>
    if_congr (same_expression (record3_inj (values_cons_inj h).1).2.1)
      (computation_inj a a' (and_true p).1 (and_true q).1 (same_chain_form (same_chain (record3_inj (values_cons_inj h).1).2.2))
        (same_chain (record3_inj (values_cons_inj h).1).2.2))
      (computation_inj b b' (and_true p).2 (and_true q).2 (same_chain_form (same_chain (record3_inj (values_cons_inj h).1).1))
        (same_chain (record3_inj (values_cons_inj h).1).1))
termination_by structural x => x
theorem clauses_inj : (cs cs' : Clauses) → Eq (clausesBelow n cs) true → Eq (clausesBelow n cs') true →
    Eq (cs.toValues names) (cs'.toValues names) → Eq cs cs'
  | .nil, .nil, _, _, _ => rfl
  | .nil, .cons _ _ _, _, _, h => nomatch h
  | .cons _ _ _, .nil, _, _, h => nomatch h
  | .cons op b cs, .cons op' b' cs', p, q, h =>
    clauses_congr (distinct op op' (and_true p).1 (and_true q).1 (text_value_inj (record2_inj (values_cons_inj h).1).2))
      (body_inj b b' (and_true (and_true p).2).1 (and_true (and_true q).2).1
          (same_body_form (same_body_chain (record2_inj (values_cons_inj h).1).1))
        (same_body_chain (record2_inj (values_cons_inj h).1).1))
      (clauses_inj cs cs' (and_true (and_true p).2).2 (and_true (and_true q).2).2 (values_cons_inj h).2)
termination_by structural x => x
theorem body_inj : (b b' : ClauseBody) → Eq (bodyBelow n b) true → Eq (bodyBelow n b') true → Eq b.form b'.form →
    Eq (b.chain names) (b'.chain names) → Eq b b'
  | .let c b, .let c' b', p, q, _, h =>
    congr_arg2 ClauseBody.let
      (computation_inj c c' (and_true p).1 (and_true q).1 (same_chain_form (same_chain (values_cons_inj h).1))
          (same_chain (values_cons_inj h).1))
      (body_inj b b' (and_true p).2 (and_true q).2 (same_body_form (values_cons_inj h).2) (values_cons_inj h).2)
  | .if _ a b, .if _ a' b', p, q, _, h =>
    body_if_congr (same_expression (record3_inj (values_cons_inj h).1).2.1)
      (body_inj a a' (and_true p).1 (and_true q).1 (same_body_form (same_body_chain (record3_inj (values_cons_inj h).1).2.2))
        (same_body_chain (record3_inj (values_cons_inj h).1).2.2))
      (body_inj b b' (and_true p).2 (and_true q).2 (same_body_form (same_body_chain (record3_inj (values_cons_inj h).1).1))
        (same_body_chain (record3_inj (values_cons_inj h).1).1))
  | .answer _, .answer _, _, _, _, h => congrArg ClauseBody.answer (same_expression (record1_inj (values_cons_inj h).1))
  | .abort _, .abort _, _, _, _, h => congrArg ClauseBody.abort (same_expression (record1_inj (values_cons_inj h).1))
  | .resume _ k, .resume _ k', p, q, _, h =>
    congr_arg2 ClauseBody.resume (same_expression (record2_inj (values_cons_inj h).1).1)
      (computation_inj k k' p q (same_chain_form (same_chain (record2_inj (values_cons_inj h).1).2))
          (same_chain (record2_inj (values_cons_inj h).1).2))
termination_by structural x => x
end
end

/-! ### programs -/
/-- The tier of a word. -/
noncomputable def readTier (t : Text) : Tier :=
  cond (Text.beq t (word "reversible")) .reversible (cond (Text.beq t (word "compensable")) .compensable .irreversible)
theorem read_tier : (t : Tier) → Eq (readTier t.word) t
  | .reversible => rfl
  | .compensable => rfl
  | .irreversible => rfl
theorem tier_inj {a b : Tier} (h : Eq a.word b.word) : Eq a b := Eq.trans (read_tier a).symm (Eq.trans (congrArg readTier h) (read_tier b))
theorem same_schema {s s' : Schema} (h : Eq s.toValue s'.toValue) : Eq s s' := schema_inj s s' (same_schema_form h) h
theorem declaration_congr {m m' : Text} {p r p' r' : Schema} {t t' : Tier} : Eq m m' → Eq p p' → Eq r r' → Eq t t' →
    Eq (OperationDeclaration.mk m ⟨p, r⟩ t) (.mk m' ⟨p', r'⟩ t')
  | rfl, rfl, rfl, rfl => rfl
theorem record4_inj {a b c d a' b' c' d' : Text} {u v w x u' v' w' x' : Value}
    (h : Eq (Value.record (.cons a u (.cons b v (.cons c w (.cons d x .nil)))))
        (.record (.cons a' u' (.cons b' v' (.cons c' w' (.cons d' x' .nil)))))) :
    And (Eq u u') (And (Eq v v') (And (Eq w w') (Eq x x'))) := match h with
  | rfl => ⟨rfl, rfl, rfl, rfl⟩
theorem declaration_inj : (d d' : OperationDeclaration) → Eq d.toValue d'.toValue → Eq d d'
  | ⟨_, ⟨_, _⟩, _⟩, ⟨_, ⟨_, _⟩, _⟩, h => match record4_inj h with
    | ⟨m, p, r, t⟩ => declaration_congr (text_value_inj m) (same_schema p) (same_schema r) (tier_inj (text_value_inj t))
theorem declarations_inj : (ds ds' : List OperationDeclaration) → Eq (declarationsToValues ds) (declarationsToValues ds') → Eq ds ds'
  | .nil, .nil, _ => rfl
  | .nil, .cons _ _, h => nomatch h
  | .cons _ _, .nil, h => nomatch h
  | .cons d ds, .cons d' ds', h => congr_arg2 List.cons (declaration_inj d d' (values_cons_inj h).1)
        (declarations_inj ds ds' (values_cons_inj h).2)
theorem declares_at : (ds : List OperationDeclaration) → (b : Nat) → Eq (Nat.ble (.succ b) (length ds)) true →
    Eq (declaresName (nameOf ds b) ds) true
  | .nil, _, h => Bool.noConfusion h
  | .cons d _, .zero, _ => or_left (Text.beq_refl d.name)
  | .cons _ ds, .succ b, h => or_right (declares_at ds b (Eq.trans (ble_succ (.succ b) (length ds)).symm h))
theorem name_new {name : Text} {ds : List OperationDeclaration} {b : Nat} (n : Eq (not (declaresName name ds)) true)
    (h : Eq (Nat.ble (.succ b) (length ds)) true) (e : Eq name (nameOf ds b)) : False :=
  nomatch Eq.trans n.symm (congrArg not (Eq.trans (congrArg (fun x => declaresName x ds) e) (declares_at ds b h)))
theorem names_distinct : (ds : List OperationDeclaration) → Eq (distinctNames ds) true → Distinct (nameOf ds) (length ds)
  | .nil, _ => fun _ _ h => Bool.noConfusion h
  | .cons _ ds, h => fun a b => go (names_distinct ds (and_true h).2) (and_true h).1 a b
where
  go {d : OperationDeclaration} {ds : List OperationDeclaration} (ih : Distinct (nameOf ds) (length ds))
      (n : Eq (not (declaresName d.name ds)) true) :
      (a b : Nat) → Eq (Nat.ble (.succ a) (.succ (length ds))) true → Eq (Nat.ble (.succ b) (.succ (length ds))) true →
      Eq (nameOf (.cons d ds) a) (nameOf (.cons d ds) b) → Eq a b
    | .zero, .zero, _, _, _ => rfl
    | .zero, .succ b, _, p, e => (name_new n (Eq.trans (ble_succ (.succ b) (length ds)).symm p) e).elim
    | .succ a, .zero, p, _, e => (name_new n (Eq.trans (ble_succ (.succ a) (length ds)).symm p) e.symm).elim
    | .succ a, .succ b, p, q, e => congrArg Nat.succ (ih a b (Eq.trans (ble_succ (.succ a) (length ds)).symm p)
        (Eq.trans (ble_succ (.succ b) (length ds)).symm q) e)
theorem program_inj : {ds ds' : List OperationDeclaration} → {c c' : Computation} → Eq ds ds' → Eq (Program.declared ⟨ds, c⟩) true →
    Eq (Program.declared ⟨ds', c'⟩) true → Eq (sequence (c.chain (nameOf ds))) (sequence (c'.chain (nameOf ds'))) →
    Eq (Program.mk ds c) ⟨ds', c'⟩
  | ds, _, c, c', rfl, p, q, h => congrArg (Program.mk ds) (computation_inj (names_distinct ds (and_true p).1) c c' (and_true p).2
      (and_true q).2 (same_chain_form (same_chain h)) (same_chain h))
/-- The document determines the program. -/
theorem document_inj : {p q : Program} → Eq p.declared true → Eq q.declared true → Eq p.document q.document → Eq p q
  | ⟨_, _⟩, ⟨_, _⟩, p, q, h => program_inj (declarations_inj _ _ (list_value_inj (record3_inj h).2.2)) p q (record3_inj h).1
/-- **program_injective**. -/
theorem program_injective {p q : Program} (dp : Eq p.declared true) (dq : Eq q.declared true) (pp : Eq p.document.proper true)
    (pq : Eq q.document.proper true) (h : Eq p.canonicalBytes q.canonicalBytes) : Eq p q :=
  document_inj dp dq (canonical_injective pp pq h)
end Eclogue
