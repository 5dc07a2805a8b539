prelude
import Eclogue.Proofs.Core.Simulation
/-! Determinism of both semantics, and traces that only grow. -/
namespace Eclogue

/-- **machine_deterministic**, one step. -/
theorem machine_deterministic {s a b : State} (h₁ : Eq (step s) (some a)) (h₂ : Eq (step s) (some b)) : Eq a b :=
  match Eq.trans h₁.symm h₂ with | rfl => rfl
/-! ### determinism -/
/-- **machine_deterministic**, whole runs: a final state is reached by one run only. -/
theorem steps_deterministic : {s a b : State} → Steps s a → Steps s b → Eq (step a) none → Eq (step b) none → Eq a b
  | _, _, _, .refl, .refl, _, _ => rfl
  | _, _, _, .refl, .head e _, ha, _ => nomatch Eq.trans ha.symm e
  | _, _, _, .head e _, .refl, _, hb => nomatch Eq.trans hb.symm e
  | _, _, _, .head e p, .head e' q, ha, hb =>
    match Eq.trans e.symm e' with
    | rfl => steps_deterministic p q ha hb
/-- **source_eval_deterministic**, for a continuation. -/
theorem through_deterministic {K o t o₁ t₁ o₂ t₂} (d : Through K o t o₁ t₁) (d' : Through K o t o₂ t₂) : And (Eq o₁ o₂) (Eq t₁ t₂) :=
  have p : Steps ⟨.outcome o, List.append K .nil, t⟩ ⟨.outcome o₁, .nil, t₁⟩ := through_to_steps d .nil
  have q : Steps ⟨.outcome o, List.append K .nil, t⟩ ⟨.outcome o₂, .nil, t₂⟩ := through_to_steps d' .nil
  match steps_deterministic p q rfl rfl with
  | rfl => ⟨rfl, rfl⟩
/-- **source_eval_deterministic**. -/
theorem source_eval_deterministic {ρ c t o o' t₁ t₂} (d : Eval ρ c t o t₁) (d' : Eval ρ c t o' t₂) : And (Eq o o') (Eq t₁ t₂) :=
  match steps_deterministic (eval_to_steps d .nil) (eval_to_steps d' .nil) rfl rfl with
  | rfl => ⟨rfl, rfl⟩

/-! ### trace_monotonic -/
theorem Grows.trans {a b c : Trace} (p : Grows a b) : Grows b c → Grows a c
  | .refl => p
  | .push q => .push (trans p q)
theorem close_grows {w n} : (L : List OpenSelection) → {t : Trace} → Grows t (closeAll w n L t)
  | .nil, _ => .refl
  | .cons _ L, _ => .trans (.push .refl) (close_grows L)
theorem run_grows {ρ S t} : (c : Computation) → (r : Result Value) → Grows t (runComputation ρ S t c r).trace
  | _, .err _ => .push .refl
  | .return _, .ok _ => .refl
  | .let _ _, .ok _ => .refl
  | .perform _ _, .ok _ => .push .refl
  | .handle _ _ _, .ok _ => .refl
  | .if _ _ _, .ok _ => .refl
theorem body_grows {ρ id K S t} : (b : ClauseBody) → (r : Result Value) → Grows t (runBody ρ id K S t b r).trace
  | _, .err _ => .trans (.push .refl) (close_grows _)
  | .let _ _, .ok _ => .refl
  | .if _ _ _, .ok _ => .refl
  | .answer _, .ok _ => .trans (.push .refl) (close_grows _)
  | .abort _, .ok _ => .trans (.push .refl) (close_grows _)
  | .resume _ _, .ok _ => .push .refl
theorem deliver_grows {d op v K S t} : (r : Option (Prod Environment ClauseBody)) → Grows t (raiseTo d op v K S t r).trace
  | none => .refl
  | some (_, _) => .push (.push .refl)
theorem done_grows {v S t} : (f : Frame) → Grows t (returnTo v S t f).trace
  | .bind _ _ => .refl
  | .handler _ _ _ => .refl
  | .bodyBind _ _ _ _ => .refl
  | .resumeReturn _ _ _ => .push .refl
  | .complete _ => .push .refl
theorem pop_grows {f S t} : (o : Outcome) → Grows t (meet f S t o).trace
  | .completed _ => done_grows f
  | .suspended _ _ _ _ => deliver_grows _
  | .failed _ _ => close_grows _
theorem step_grows : (s : State) → {s' : State} → Eq (step s) (some s') → Grows s.trace s'.trace
  | ⟨.run _ c, _, _⟩, _, rfl => run_grows c _
  | ⟨.body _ _ _ b, _, _⟩, _, rfl => body_grows b _
  | ⟨.outcome o, .cons _ _, _⟩, _, rfl => pop_grows o
/-- **trace_monotonic**. -/
theorem trace_monotonic {s s' : State} : Steps s s' → Grows s.trace s'.trace
  | .refl => .refl
  | .head e p => .trans (step_grows _ e) (trace_monotonic p)
end Eclogue
