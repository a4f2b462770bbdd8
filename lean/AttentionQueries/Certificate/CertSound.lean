import AttentionQueries.Certificate.Cert
import AttentionQueries.MultiHead.Separation

/-! # Soundness of the certificate checker -/

namespace AttentionQueries
open CommRing OrderedField

namespace Cert

theorem cond_true {b c : Bool} (h : cond b c false = true) : b = true ∧ c = true := by
  cases b
  · cases h
  · exact ⟨rfl, h⟩
theorem ieq_eq : ∀ {a b : Int}, ieq a b = true → a = b
  | .ofNat _, .ofNat _, h => congrArg Int.ofNat (Nat.eq_of_beq_eq_true h)
  | .negSucc _, .negSucc _, h => congrArg Int.negSucc (Nat.eq_of_beq_eq_true h)
  | .ofNat _, .negSucc _, h => nomatch h
  | .negSucc _, .ofNat _, h => nomatch h
theorem nbeq_refl : ∀ a : Nat, Nat.beq a a = true
  | 0 => rfl
  | a + 1 => nbeq_refl a
theorem ieq_refl : ∀ a : Int, ieq a a = true
  | .ofNat a => nbeq_refl a
  | .negSucc a => nbeq_refl a
theorem ieq_false {a b : Int} (h : ieq a b = false) : a ≠ b := fun e => by
  rw [e, ieq_refl] at h
  cases h
theorem leq_eq {A : Type} {eq : A → A → Bool} (he : ∀ {a b}, eq a b = true → a = b) :
    ∀ {l m : List A}, leq eq l m = true → l = m
  | [], [], _ => rfl
  | a :: l, b :: m, h => by rw [he (cond_true h).1, leq_eq he (cond_true h).2]
  | [], _ :: _, h => nomatch h
  | _ :: _, [], h => nomatch h
theorem allB_mem {A : Type} {f : A → Bool} : ∀ {l : List A}, allB f l = true → ∀ a ∈ l, f a = true
  | [], _, _, ha => nomatch ha
  | b :: l, h, a, ha => by
    rcases List.mem_cons.mp ha with rfl | ha
    · exact (cond_true h).1
    · exact allB_mem (cond_true h).2 a ha
theorem nthD_mem {A : Type} (a₀ : A) : ∀ (l : List A) (n : Nat), nthD a₀ l n = a₀ ∨ nthD a₀ l n ∈ l
  | [], _ => .inl rfl
  | _ :: _, 0 => .inr List.mem_cons_self
  | a :: l, n + 1 => (nthD_mem a₀ l n).imp id (List.mem_cons_of_mem a)

/-! ## meaning of the data -/
def toVec (d : Nat) (l : List Int) : Vec Int d := fun i => nthD 0 l i.val
def toMat (d : Nat) (W : List (List Int)) : Mat Int d := fun i => toVec d (nthD [] W i.val)
/-- the value vector `v / D` -/
def toVal (d : Nat) (v : List Int) (D : Nat) : Vec Rational d := fun i => base2.cast (nthD 0 v i.val) / base2.cast (D : Int)
/-- the recorded answer -/
def Entry.ans (e : Entry) : Rational := base2.cast e.num / base2.cast (e.den : Int)
/-- a head answers an entry as recorded -/
def Agrees {d : Nat} (W : Mat Int d) (v : Vec Rational d) (e : Entry) : Prop :=
  base2.eval W v (e.ctx.map (toVec d)) (toVec d e.q) = e.ans

theorem isZ_eq : ∀ x : Int, isZ x = ieq x (.ofNat 0)
  | .ofNat _ => rfl
  | .negSucc _ => rfl
theorem sdot_eq {A : Type} (f : A → Int) (a₀ : A) (h0 : f a₀ = 0) : ∀ {d : Nat} (x : List Int) (l : List A),
    l.length ≤ d → sdot f x l = finSum fun i : Fin d => nthD 0 x i.val * f (nthD a₀ l i.val)
  | d, x, [], _ => by
    rw [finSum_zero fun i => by rw [show nthD a₀ [] i.val = a₀ from rfl, h0, mul_zero]]
    cases x <;> rfl
  | d, [], a :: l, _ => by
    rw [finSum_zero fun i => by rw [show nthD (0 : Int) [] i.val = 0 from rfl, zero_mul]]
    rfl
  | d + 1, x :: xs, a :: l, hl => by
    rw [finSum_succ]
    have ih := sdot_eq f a₀ h0 (d := d) xs l (Nat.le_of_succ_le_succ hl)
    show Bool.rec (x * f a + sdot f xs l) (sdot f xs l) (isZ x) = x * f a + finSum fun i : Fin d => nthD 0 xs i.val * f (nthD a₀ l i.val)
    rw [← ih, isZ_eq]
    cases h : ieq x (.ofNat 0)
    · rfl
    · rw [show x = 0 from ieq_eq h, zero_mul, zero_add]
  | 0, _ :: _, _ :: _, hl => absurd hl (Nat.not_succ_le_zero _)
theorem pairL_eq {d : Nat} (v : List Int) (x : Tok) (hv : v.length ≤ d) :
    pairL v x = finSum fun i : Fin d => nthD 0 x i.val * nthD 0 v i.val :=
  sdot_eq (fun a => a) 0 rfl x v hv
theorem scoreL_eq {d : Nat} {W : List (List Int)} (x q : Tok) (hW : W.length ≤ d) (hr : ∀ r ∈ W, r.length ≤ d) :
    scoreL W x q = score (toMat d W) (toVec d x) (toVec d q) := by
  rw [scoreL, sdot_eq (fun r => pairL r q) [] (by cases q <;> rfl) x W hW, score]
  congr; funext i
  show _ * _ = _ * _
  congr 1
  have hl : (nthD [] W i.val).length ≤ d := by
    rcases nthD_mem [] W i.val with h | h
    · rw [h]; exact Nat.zero_le d
    · exact hr _ h
  show pairL (nthD [] W i.val) q = _
  rw [pairL_eq (d := d) _ q hl, mulVec]
  congr; funext j
  exact mul_comm _ _

/-! ## the exponential -/
local notation "E" => Semantics.exp base2
local notation "κ" => Semantics.cast base2
theorem exp_ofNat (k : Nat) : E (.ofNat k) = κ (.ofNat (2 ^ k)) := rfl
theorem cast_pos {n : Nat} (h : 1 ≤ n) : κ (.ofNat n) ≠ 0 := base2.cast_ne fun e => by
  have e := Int.ofNat.inj e
  rw [e] at h
  exact absurd h (Nat.not_succ_le_zero 0)

theorem pair_toVal {d : Nat} {v : List Int} {D : Nat} (hD : 1 ≤ D) (hv : v.length ≤ d) (x : Tok) :
    base2.inner (toVal d v D) (toVec d x) * κ (.ofNat D) = κ (pairL v x) := by
  rw [pairL_eq v x hv, base2.cast_finSum, Semantics.inner, mul_comm, ← finSum_mul]
  congr; funext i
  rw [toVal, Semantics.castV, base2.cast_mul]
  have h := div_mul_cancel (κ (nthD 0 v i.val)) (cast_pos hD)
  show κ (.ofNat D) * (κ (nthD 0 v i.val) / κ (.ofNat D) * κ (nthD 0 x i.val)) = κ (nthD 0 x i.val) * κ (nthD 0 v i.val)
  lin_comb (κ (nthD 0 x i.val)) h

/-- the loop adds up numerator and denominator -/
theorem go_sound {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {q : Tok} {num : Int} {den : Nat}
    (hD : 1 ≤ D) (hv : v.length ≤ d) (hW : W.length ≤ d) (hr : ∀ r ∈ W, r.length ≤ d) :
    ∀ (xs : List Tok) (c n : Int) (m : Nat) (a b : Rational), a * κ (.ofNat D) = E c * κ n → b = E c * κ (.ofNat m) →
    go W v D q num den xs c n m = true →
    (listSum (xs.map (toVec d)) (fun x => E (score (toMat d W) x (toVec d q)) * base2.inner (toVal d v D) x) + a) * κ (.ofNat den) =
      κ num * (listSum (xs.map (toVec d)) (fun x => E (score (toMat d W) x (toVec d q))) + b)
  | [], c, n, m, a, b, ha, hb, h => by
    have h : n * .ofNat den = num * (.ofNat D * .ofNat m) := ieq_eq h
    have h := congrArg (κ) h
    rw [base2.cast_mul, base2.cast_mul, base2.cast_mul] at h
    rw [List.map_nil, listSum_nil, listSum_nil, zero_add, zero_add]
    apply mul_right_cancel (cast_pos hD)
    lin_comb (κ (.ofNat den)) ha + (E c) h + (-(κ num * κ (.ofNat D))) hb
  | x :: xs, c, n, m, a, b, ha, hb, h => by
    rw [List.map_cons, listSum_cons, listSum_cons]
    have hp := pair_toVal (d := d) hD hv x
    have hs := scoreL_eq (d := d) x q hW hr
    rw [← hs]
    unfold go at h
    generalize scoreL W x q = s at *
    generalize base2.inner (toVal d v D) (toVec d x) = px at *
    have he : s - c = Int.sub s c := rfl
    split at h
    · rename_i k hk
      rw [hk] at he
      have hE : E s = E c * κ (.ofNat (2 ^ k)) := by
        rw [← exp_ofNat, ← base2.exp_add, ← he]
        congr 1; ring
      have := go_sound hD hv hW hr xs c _ _ (E s * px + a) (E s + b) (by
        show _ = E c * κ (n + .ofNat (2 ^ k) * pairL v x)
        rw [base2.cast_add, base2.cast_mul]
        lin_comb (κ (pairL v x)) hE + (E s) hp + (1) ha) (by
        show _ = E c * κ (.ofNat m + .ofNat (2 ^ k))
        rw [base2.cast_add]
        lin_comb (1) hE + (1) hb) h
      lin_comb (1) this
    · rename_i k hk
      rw [hk] at he
      have hE : E c = E s * κ (.ofNat (2 ^ (k + 1))) := by
        rw [← exp_ofNat, ← base2.exp_add]
        have : (Int.ofNat (k + 1)) = -(s - c) := by rw [he]; rfl
        rw [this]
        congr 1; ring
      have := go_sound hD hv hW hr xs s _ _ (E s * px + a) (E s + b) (by
        show _ = E s * κ (.ofNat (2 ^ (k + 1)) * n + pairL v x)
        rw [base2.cast_add, base2.cast_mul]
        lin_comb (κ n) hE + (E s) hp + (1) ha) (by
        show _ = E s * κ (.ofNat (2 ^ (k + 1)) * .ofNat m + 1)
        rw [base2.cast_add, base2.cast_mul, base2.cast_one]
        lin_comb (κ (.ofNat m)) hE + (1) hb) h
      lin_comb (1) this

structure WF (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) : Prop where
  D_pos : 1 ≤ D
  v_le : v.length ≤ d
  W_le : W.length ≤ d
  row_le : ∀ r ∈ W, r.length ≤ d
theorem wf_sound {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (h : wf d W v D = true) : WF d W v D := by
  obtain ⟨h1, h⟩ := cond_true h
  obtain ⟨h2, h⟩ := cond_true h
  obtain ⟨h3, h4⟩ := cond_true h
  exact ⟨Nat.le_of_ble_eq_true h1, Nat.le_of_ble_eq_true h2, Nat.le_of_ble_eq_true h3,
    fun r hr => Nat.le_of_ble_eq_true (allB_mem h4 r hr)⟩

/-- **One entry.** -/
theorem checkEntry_sound {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (hw : WF d W v D) {e : Entry}
    (h : checkEntry W v D e = true) : Agrees (toMat d W) (toVal d v D) e := by
  obtain ⟨hd, h⟩ := cond_true h
  have hd := cast_pos (Nat.le_of_ble_eq_true hd)
  have := go_sound hw.D_pos hw.v_le hw.W_le hw.row_le e.ctx (scoreL W e.q e.q) (pairL v e.q) 1
    (E (scoreL W e.q e.q) * base2.inner (toVal d v D) (toVec d e.q)) (E (scoreL W e.q e.q))
    (by lin_comb (E (scoreL W e.q e.q)) (pair_toVal hw.D_pos hw.v_le e.q))
    (by rw [show κ (.ofNat 1) = 1 from rfl, mul_one]) h
  rw [scoreL_eq (d := d) e.q e.q hw.W_le hw.row_le] at this
  have hden := pos_ne (listSum_pos (e.ctx.map (toVec d)) (fun x => E (score (toMat d W) x (toVec d e.q)))
    (fun _ _ => base2.exp_pos _) _ (base2.exp_pos (score (toMat d W) (toVec d e.q) (toVec d e.q))))
  rw [Agrees, Semantics.eval, listSum_append, listSum_append, listSum_cons, listSum_cons, listSum_nil, listSum_nil, add_zero, add_zero,
    div_eq_iff hden, Entry.ans]
  apply mul_right_cancel hd
  have h2 := div_mul_cancel (κ e.num) hd
  rw [this]
  show _ = κ e.num / κ (.ofNat e.den) * _ * _
  generalize κ e.num / κ (.ofNat e.den) = f at *
  generalize listSum (e.ctx.map (toVec d)) (fun x => E (score (toMat d W) x (toVec d e.q))) + E (score (toMat d W) (toVec d e.q) (toVec d e.q)) = g at *
  lin_comb (-g) h2
theorem checkEntries_sound {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (hw : WF d W v D) :
    ∀ {T : List Entry}, checkEntries W v D T = true → ∀ e ∈ T, Agrees (toMat d W) (toVal d v D) e
  | [], _, _, he => nomatch he
  | e' :: T, h, e, he => by
    rcases List.mem_cons.mp he with rfl | he
    · exact checkEntry_sound hw (cond_true h).1
    · exact checkEntries_sound hw (cond_true h).2 e he

/-! ## the questions -/
theorem upto_mem : ∀ {n : Nat} {acc : List Nat} {k : Nat}, (k < n ∨ k ∈ acc) → k ∈ upto n acc
  | 0, _, _, h => h.resolve_left (Nat.not_lt_zero _)
  | n + 1, acc, k, h => by
    refine upto_mem (n := n) ?_
    rcases h with h | h
    · rcases Nat.lt_or_eq_of_le (Nat.le_of_lt_succ h) with h | rfl
      · exact .inl h
      · exact .inr List.mem_cons_self
    · exact .inr (List.mem_cons_of_mem n h)
theorem rowL_mem {d : Nat} {u : Tok} : ∀ {js : List Nat} {k : List (List Tok × Tok)} {c : List Tok × Tok},
    ((∃ j ∈ js, c = ([addL (unit d j) u], unit d j)) ∨ c ∈ k) → c ∈ rowL d u js k
  | [], _, _, h => h.resolve_left fun ⟨_, h, _⟩ => nomatch h
  | j :: js, k, c, h => by
    rcases h with ⟨j', hj, rfl⟩ | h
    · rcases List.mem_cons.mp hj with rfl | hj
      · exact List.mem_cons_self
      · exact List.mem_cons_of_mem _ (rowL_mem (.inl ⟨j', hj, rfl⟩))
    · exact List.mem_cons_of_mem _ (rowL_mem (.inr h))
theorem rowsL_mem {d : Nat} {v : List Int} {p i j : Nat} (hj : j < d) : ∀ {is : List Nat}, i ∈ is →
    ([addL (unit d j) (dirL d v p i)], unit d j) ∈ rowsL d v p is
  | i' :: is, h => by
    refine rowL_mem ?_
    rcases List.mem_cons.mp h with rfl | h
    · exact .inl ⟨j, upto_mem (.inl hj), rfl⟩
    · exact .inr (rowsL_mem hj h)
theorem basisL_mem {d : Nat} : ∀ {is : List Nat} {k : List (List Tok × Tok)} {c : List Tok × Tok},
    ((∃ i ∈ is, c = ([], unit d i)) ∨ c ∈ k) → c ∈ basisL d is k
  | [], _, _, h => h.resolve_left fun ⟨_, h, _⟩ => nomatch h
  | i :: is, k, c, h => by
    rcases h with ⟨i', hi, rfl⟩ | h
    · rcases List.mem_cons.mp hi with rfl | hi
      · exact List.mem_cons_self
      · exact List.mem_cons_of_mem _ (basisL_mem (.inl ⟨i', hi, rfl⟩))
    · exact List.mem_cons_of_mem _ (basisL_mem (.inr h))
theorem starts_mem : ∀ {cs : List (List Tok × Tok)} {T : List Entry}, starts cs T = true → ∀ c ∈ cs,
    ∃ e ∈ T, e.ctx = c.1 ∧ e.q = c.2
  | [], _, _, _, hc => nomatch hc
  | _ :: _, [], h, _, _ => nomatch h
  | c' :: cs, e :: T, h, c, hc => by
    obtain ⟨h1, h⟩ := cond_true h
    obtain ⟨h2, h⟩ := cond_true h
    rcases List.mem_cons.mp hc with rfl | hc
    · exact ⟨e, List.mem_cons_self, (leq_eq (leq_eq ieq_eq) h1).symm, (leq_eq ieq_eq h2).symm⟩
    · obtain ⟨e', he', h'⟩ := starts_mem h c hc
      exact ⟨e', List.mem_cons_of_mem e he', h'⟩
theorem fill_mem : ∀ {cs : List (List Tok × Tok)} {A : List (Int × Nat)}, cs.length ≤ A.length → ∀ c ∈ cs,
    ∃ e ∈ fill cs A, e.ctx = c.1 ∧ e.q = c.2
  | [], _, _, _, hc => nomatch hc
  | _ :: _, [], h, _, _ => absurd h (Nat.not_succ_le_zero _)
  | c' :: cs, a :: A, h, c, hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact ⟨_, List.mem_cons_self, rfl, rfl⟩
    · obtain ⟨e', he', h'⟩ := fill_mem (Nat.le_of_succ_le_succ h) c hc
      exact ⟨e', List.mem_cons_of_mem _ he', h'⟩

theorem length_upto : ∀ (n : Nat) (acc : List Nat), (upto n acc).length = n + acc.length
  | 0, acc => (Nat.zero_add _).symm
  | n + 1, acc => by rw [upto, length_upto n, List.length_cons, Nat.add_succ, Nat.succ_add]
theorem length_rowL (d : Nat) (u : Tok) : ∀ (js : List Nat) (k : List (List Tok × Tok)), (rowL d u js k).length = js.length + k.length
  | [], _ => (Nat.zero_add _).symm
  | j :: js, k => by rw [rowL, List.length_cons, length_rowL d u js, List.length_cons, Nat.succ_add]
theorem length_basisL (d : Nat) : ∀ (js : List Nat) (k : List (List Tok × Tok)), (basisL d js k).length = js.length + k.length
  | [], _ => (Nat.zero_add _).symm
  | j :: js, k => by rw [basisL, List.length_cons, length_basisL d js, List.length_cons, Nat.succ_add]
theorem length_rowsL (d : Nat) (v : List Int) (p : Nat) : ∀ js : List Nat, (rowsL d v p js).length = js.length * d
  | [] => (Nat.zero_mul d).symm
  | j :: js => by
    rw [rowsL, length_rowL, length_rowsL d v p js, length_upto, List.length_cons, Nat.succ_mul, Nat.add_comm]; rfl
theorem length_questions (d : Nat) (v : List Int) : (questions d v).length = d + d * d := by
  rw [questions, length_basisL, length_rowsL, length_upto]; rfl

theorem nthD_zeros : ∀ d k : Nat, nthD (0 : Int) (zeros d) k = 0
  | 0, _ => rfl
  | _ + 1, 0 => rfl
  | d + 1, k + 1 => nthD_zeros d k
theorem toVec_unit : ∀ {d : Nat} (i : Fin d), toVec d (unit d i.val) = basis i
  | 0, i => i.elim0
  | d + 1, ⟨0, h⟩ => funext fun j => by
    induction j using Fin.cases with
    | zero => rw [show (⟨0, h⟩ : Fin (d + 1)) = 0 from rfl, basis_self]; rfl
    | succ j => exact (nthD_zeros d j.val).trans (basis_ne (Fin.succ_ne_zero j)).symm
  | d + 1, ⟨i + 1, h⟩ => funext fun j => by
    have hi : (⟨i + 1, h⟩ : Fin (d + 1)) = Fin.succ ⟨i, Nat.lt_of_succ_lt_succ h⟩ := rfl
    induction j using Fin.cases with
    | zero => exact (basis_ne (i := (⟨i + 1, h⟩ : Fin (d + 1))) (Fin.succ_ne_zero ⟨i, Nat.lt_of_succ_lt_succ h⟩).symm).symm
    | succ j =>
      have ih := congrFun (toVec_unit (d := d) ⟨i, Nat.lt_of_succ_lt_succ h⟩) j
      show toVec d (unit d i) j = _
      rw [show toVec d (unit d i) j = _ from ih, hi]
      simp only [basis, Fin.succ_inj]
theorem nthD_addL : ∀ (a b : Tok) (k : Nat), nthD (0 : Int) (addL a b) k = nthD 0 a k + nthD 0 b k
  | [], _, _ => (zero_add _).symm
  | _ :: _, [], _ => (add_zero _).symm
  | _ :: _, _ :: _, 0 => rfl
  | _ :: l, _ :: m, k + 1 => nthD_addL l m k
theorem toVec_addL (d : Nat) (a b : Tok) : toVec d (addL a b) = toVec d a + toVec d b := funext fun i => nthD_addL a b i.val
theorem toVal_ne {d : Nat} {v : List Int} {D : Nat} (hD : 1 ≤ D) (i : Fin d) : toVal d v D i ≠ 0 ↔ nthD 0 v i.val ≠ 0 := by
  rw [toVal]
  constructor
  · intro h e
    rw [e, base2.cast_zero, zero_div] at h
    exact h rfl
  · intro h e
    exact base2.cast_ne h (((div_eq_iff (cast_pos hD)).mp e).trans (zero_mul _))
theorem toVec_dirL {d : Nat} {v : List Int} {D : Nat} (hD : 1 ≤ D) (p i : Fin d) :
    toVec d (dirL d v p.val i.val) = Semantics.probe (toVal d v D) p i := by
  unfold dirL Semantics.probe
  cases h : ieq (nthD (.ofNat 0) v i.val) (.ofNat 0)
  · rw [if_pos ((toVal_ne hD i).mpr (ieq_false h))]
    exact toVec_unit i
  · rw [if_neg fun h' => (toVal_ne hD i).mp h' (ieq_eq h)]
    show toVec d (addL _ _) = _
    rw [toVec_addL, toVec_unit, toVec_unit]
theorem firstNZ'_spec : ∀ (l : List Int) (k : Nat), ∃ t, firstNZ' l k = k + t ∧ (t < l.length → nthD 0 l t ≠ 0)
  | [], k => ⟨0, rfl, fun h => absurd h (Nat.not_lt_zero 0)⟩
  | x :: l, k => by
    rw [firstNZ']
    cases h : ieq x (.ofNat 0)
    · exact ⟨0, rfl, fun _ => ieq_false h⟩
    · obtain ⟨t, ht, hl⟩ := firstNZ'_spec l (k + 1)
      exact ⟨t + 1, by rw [cond, ht, Nat.succ_add]; rfl, fun h => hl (Nat.lt_of_succ_lt_succ h)⟩

/-- the questions determine the head -/
theorem questions_unique {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} (hw : WF d W v D)
    (hp : firstNZ' v 0 < v.length) {T : List Entry} (hT : ∀ c ∈ questions d v, ∃ e ∈ T, e.ctx = c.1 ∧ e.q = c.2)
    (h : ∀ e ∈ T, Agrees (toMat d W) (toVal d v D) e) (W' : Mat Int d) (v' : Vec Rational d) (h' : ∀ e ∈ T, Agrees W' v' e) :
    W' = toMat d W ∧ v' = toVal d v D := by
  have key : ∀ c ∈ questions d v, base2.eval (toMat d W) (toVal d v D) (c.1.map (toVec d)) (toVec d c.2) =
      base2.eval W' v' (c.1.map (toVec d)) (toVec d c.2) := fun c hc => by
    obtain ⟨e, he, e1, e2⟩ := hT c hc
    have := (h e he).trans (h' e he).symm
    rwa [e1, e2] at this
  have hpd := Nat.lt_of_lt_of_le hp hw.v_le
  have hp0 : toVal d v D ⟨firstNZ' v 0, hpd⟩ ≠ 0 := (toVal_ne hw.D_pos _).mpr (by
    obtain ⟨t, ht, hl⟩ := firstNZ'_spec v 0
    rw [Nat.zero_add] at ht
    show nthD 0 v (firstNZ' v 0) ≠ 0
    rw [ht] at hp ⊢
    exact hl hp)
  obtain ⟨e1, e2⟩ := base2.head_unique (W := toMat d W) (W' := W') (v' := v') hp0
    (fun i => by
      have := key ([], unit d i.val) (basisL_mem (.inl ⟨i.val, upto_mem (.inl i.isLt), rfl⟩))
      rwa [toVec_unit] at this)
    (fun i j => by
      have := key ([addL (unit d j.val) (dirL d v (firstNZ' v 0) i.val)], unit d j.val)
        (basisL_mem (.inr (rowsL_mem j.isLt (upto_mem (.inl i.isLt)))))
      rw [List.map_cons, List.map_nil, toVec_addL, toVec_unit, toVec_dirL hw.D_pos ⟨firstNZ' v 0, hpd⟩ i] at this
      exact this)
  exact ⟨e2.symm, e1.symm⟩

/-- **Soundness.** If the checker accepts, `(W, v / D)` answers as recorded and is the only head that does. -/
theorem check_sound {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {T : List Entry}
    (h : check d W v D T = true) : (∀ e ∈ T, Agrees (toMat d W) (toVal d v D) e) ∧
      ∀ (W' : Mat Int d) (v' : Vec Rational d), (∀ e ∈ T, Agrees W' v' e) → W' = toMat d W ∧ v' = toVal d v D := by
  obtain ⟨h1, h⟩ := cond_true h
  obtain ⟨h2, h⟩ := cond_true h
  obtain ⟨h3, h4⟩ := cond_true h
  have hw := wf_sound h1
  have ha := checkEntries_sound hw h4
  exact ⟨ha, questions_unique hw (Nat.le_of_ble_eq_true h2) (starts_mem h3) ha⟩
theorem checkAnswers_sound {d : Nat} {W : List (List Int)} {v : List Int} {D : Nat} {A : List (Int × Nat)}
    (h : checkAnswers d W v D A = true) : (∀ e ∈ fill (questions d v) A, Agrees (toMat d W) (toVal d v D) e) ∧
      ∀ (W' : Mat Int d) (v' : Vec Rational d), (∀ e ∈ fill (questions d v) A, Agrees W' v' e) →
        W' = toMat d W ∧ v' = toVal d v D := by
  obtain ⟨h1, h⟩ := cond_true h
  obtain ⟨h2, h⟩ := cond_true h
  obtain ⟨h3, h4⟩ := cond_true h
  have hw := wf_sound h1
  have ha := checkEntries_sound hw h4
  refine ⟨ha, questions_unique hw (Nat.le_of_ble_eq_true h2) (fill_mem ?_) ha⟩
  exact Nat.le_of_eq (by rw [length_questions, Nat.eq_of_beq_eq_true h3])
end Cert

end AttentionQueries
