import AttentionQueries.Certificate.GeneralPosition
import AttentionQueries.Certificate.Notation
import AttentionQueries.Certificate.Pairs
import AttentionQueries.MultiHead.Canonical

/-! # Certificates for several heads

A certificate holds a model with several heads and its answers to an explicit list of queries that separates all models
with few heads: the `[eᵢ]`, and for each pair of a direction `u` and a query token `q` with small entries one copy of
`q + u` followed by `1, …, N - 1` copies of `q`. If the check succeeds, then a model with at most `n` heads gives these
answers iff it computes the same function, that is, iff its canonical form is the certified one.

## Main definitions

* `heads d D hs`: the heads of a list of data, with the common denominator `D` of the values.
* `ClassAnswers d N p B A o`: the oracle `o` answers the queries of length one by `B` and the others by `A`.
* `checkModel`: the check, with integers only.

## Main statements

* `model_certified`: **a model with at most `n` heads gives the answers iff it computes the certified function**.
* `model_certified_canonical`: it does iff its canonical form is the certified model, up to the order of heads.
* `model_certified_bound_needed`: the bound `n` cannot be dropped.

## References

The finite test is that of `AttentionQueries.MultiHead.ClassTest`, with smaller numbers. -/

namespace AttentionQueries
open CommRing OrderedField

namespace Certificate

local notation "E" => Semantics.exp base2
local notation "κ" => Semantics.cast base2

/-- One head as data: the rows of the score matrix, and the value vector. -/
abbrev HeadData := List (List Int) × List Int

/-- The heads of a list of data; their values have the common denominator `D`. -/
def heads (d D : Nat) (hs : List HeadData) : List (Head Int Rational d) :=
  hs.map fun h => ⟨matrix d h.1, values d h.2 D⟩

/-- A model as an oracle: it answers a query with its output. -/
def modelOracle {d : Nat} (H : List (Head Int Rational d)) : Query Int d → Rational := fun t => base2.evalHeads H t.1 t.2

/-- The query at a pair: one copy of `q + u`, then `n + 1` copies of `q`, where the direction `u` and the query token
`q` are the residue vectors with the parameters `t` and `s`. -/
def classQuery (d p s t n : Nat) : Query Int d :=
  (Semantics.copies 1 n (vector d (residues p d t)) (vector d (residues p d s)), vector d (residues p d s))

/-- The oracle answers `[eᵢ]` by entry `i` of `B`, and the query at the pair `(s, t)` with `n + 1` copies of the query
token, `n + 1 < N`, by entry `n` of list `t` of table `s` of `A`. -/
structure ClassAnswers (d N p : Nat) (B : List (Int × Nat)) (A : List (List (List (Int × Nat))))
    (o : Query Int d → Rational) : Prop where
  /-- The answers to the queries of length one. -/
  single : ∀ i : Fin d, o ([], basis i) = fraction (nth (0, 1) B i.val)
  /-- The other answers. -/
  ladder : ∀ s t n, s < tokens d N → t < directions d N → n < N - 1 →
    o (classQuery d p s t n) = fraction (nth (0, 1) (nth [] (nth [] A s) t) n)

/-! ## The check -/

/-- The scores and the values of all heads at a direction `u` and a query token `q`. -/
def atPair (u q : List Int) : List HeadData → List (Int × Int)
  | [] => []
  | h :: hs => (scoreList h.1 u q, dotList h.2 u) :: atPair u q hs

/-- The value of a query token, summed over the heads. -/
def atToken (q : List Int) : List HeadData → Int
  | [] => 0
  | h :: hs => dotList h.2 q + atToken q hs

/-- One answer with `m` copies of the query token: the heads are given by their scores and values at the direction, and
`num / den` is the sum so far. -/
def checkRung (m D : Nat) (a : Int × Nat) : List (Int × Int) → Int → Nat → Bool
  | [], num, den => sameInt (a.1 * .ofNat (D * den)) (.ofNat a.2 * num)
  | (s, b) :: hs, num, den =>
    match s with
    | .ofNat k => checkRung m D a hs (num * .ofNat (2 ^ k + m) + .ofNat den * (b * .ofNat (2 ^ k))) (den * (2 ^ k + m))
    | .negSucc k => checkRung m D a hs (num * .ofNat (m * 2 ^ (k + 1) + 1) + .ofNat den * b)
        (den * (m * 2 ^ (k + 1) + 1))

/-- The answers at one pair, for `m, m + 1, …` copies of the query token. -/
def checkLadder (D : Nat) (hs : List (Int × Int)) (x : Int) : Nat → List (Int × Nat) → Bool
  | _, [] => true
  | m, a :: as => Nat.ble 1 a.2 && (checkRung m D a hs x 1 && checkLadder D hs x (m + 1) as)

/-- The answers for one query token, at the directions `t, t + 1, …`. -/
def checkDirections (d p D rungs : Nat) (hs : List HeadData) (q : List Int) (x : Int) :
    Nat → List (List (Int × Nat)) → Bool
  | _, [] => true
  | t, a :: as => Nat.beq a.length rungs && (checkLadder D (atPair (residues p d t) q hs) x 1 a &&
      checkDirections d p D rungs hs q x (t + 1) as)

/-- The answers at the query tokens `s, s + 1, …`. -/
def checkTokens (d p D rungs width : Nat) (hs : List HeadData) : Nat → List (List (List (Int × Nat))) → Bool
  | _, [] => true
  | s, A :: As => Nat.beq A.length width &&
      (checkDirections d p D rungs hs (residues p d s) (atToken (residues p d s) hs) 0 A &&
        checkTokens d p D rungs width hs (s + 1) As)

/-- The sum of the value vectors, filled up to length `d`. -/
def valueList (d : Nat) : List HeadData → List Int
  | [] => List.replicate d 0
  | h :: hs => addLists h.2 (valueList d hs)

/-- The lists differ at some place within both. -/
def differ : List Int → List Int → Bool
  | x :: l, y :: m => !sameInt x y || differ l m
  | _, _ => false

/-- Some rows of the matrices differ. -/
def differRows : List (List Int) → List (List Int) → Bool
  | r :: W, r' :: W' => differ r r' || differRows W W'
  | _, _ => false

/-- The score matrices differ from each other, and no value vector is zero. -/
def checkReduced : List HeadData → Bool
  | [] => true
  | h :: hs => Nat.ble (firstNonzero h.2 + 1) h.2.length &&
      (every (fun h' => differRows h.1 h'.1) hs && checkReduced hs)

/-- **The check** that the heads are reduced and give the answers, and that the queries separate `N` score matrices,
enough for the heads and `n` more. -/
def checkModel (d n N p D : Nat) (hs : List HeadData) (B : List (Int × Nat)) (A : List (List (List (Int × Nat)))) :
    Bool :=
  Nat.ble (hs.length + n) N && (isPrime p && (Nat.ble (directions d N) p && (Nat.ble 1 D &&
    (every (fun h => fits d h.1 h.2 D) hs && (checkReduced hs && (Nat.beq (valueList d hs).length d &&
      (checkSingles D (valueList d hs) B && (Nat.beq A.length (tokens d N) &&
        checkTokens d p D (N - 1) (directions d N) hs 0 A))))))))

/-! ## One answer -/

private theorem of_checkRung {m D : Nat} {a : Int × Nat} (hm : (0 : Rational) < κ (.ofNat m)) :
    ∀ {hs : List (Int × Int)} {num : Int} {den : Nat} {x : Rational}, κ (.ofNat den) ≠ 0 →
      x * κ (.ofNat den) = κ num → checkRung m D a hs num den = true →
      (x + listSum hs fun h => κ h.2 * (E h.1 / (E h.1 + κ (.ofNat m)))) * κ (.ofNat a.2) = κ a.1 * κ (.ofNat D)
  | [], num, den, x, hd, hx, h => by
    have h : a.1 * (.ofNat D * .ofNat den) = .ofNat a.2 * num := sameInt_iff.mp h
    have h := congrArg κ h
    rw [base2.cast_mul, base2.cast_mul, base2.cast_mul] at h
    rw [listSum_nil, add_zero]
    apply mul_right_cancel hd
    lin_comb (κ (.ofNat a.2)) hx + (-1) h
  | (s, b) :: hs, num, den, x, hd, hx, h => by
    rw [listSum_cons, ← add_assoc]
    have hne := pos_ne (add_pos (base2.exp_pos s) hm)
    have hf := div_mul_cancel (E s) hne
    show (x + κ b * (E s / (E s + κ (.ofNat m))) + _) * _ = _
    generalize E s / (E s + κ (.ofNat m)) = f at *
    cases s with
    | ofNat k =>
      have e : κ (.ofNat (den * (2 ^ k + m))) = κ (.ofNat den) * (E (.ofNat k) + κ (.ofNat m)) := by
        rw [exp_ofNat, ← base2.cast_add, ← base2.cast_mul]
        rfl
      refine of_checkRung hm (hs := hs) (den := den * (2 ^ k + m))
        (num := num * (.ofNat (2 ^ k) + .ofNat m) + .ofNat den * (b * .ofNat (2 ^ k))) ?_ ?_ h
      · rw [e]
        exact mul_ne_zero hd hne
      · rw [e]
        simp only [base2.cast_add, base2.cast_mul, ← exp_ofNat]
        lin_comb (E (.ofNat k) + κ (.ofNat m)) hx + (κ b * κ (.ofNat den)) hf
    | negSucc k =>
      have hE : E (.ofNat (k + 1)) * E (.negSucc k) = 1 := base2.exp_mul_neg (.ofNat (k + 1))
      have e1 : κ (.ofNat (m * 2 ^ (k + 1) + 1)) = κ (.ofNat m) * E (.ofNat (k + 1)) + 1 := by
        rw [exp_ofNat, ← base2.cast_one, ← base2.cast_mul, ← base2.cast_add]
        rfl
      have e : κ (.ofNat (den * (m * 2 ^ (k + 1) + 1))) = κ (.ofNat den) * (κ (.ofNat m) * E (.ofNat (k + 1)) + 1) := by
        rw [← e1, ← base2.cast_mul]
        rfl
      refine of_checkRung hm (hs := hs) (den := den * (m * 2 ^ (k + 1) + 1))
        (num := num * (.ofNat (m * 2 ^ (k + 1) + 1)) + .ofNat den * b) ?_ ?_ h
      · rw [e]
        exact mul_ne_zero hd (pos_ne (add_pos (mul_pos _ _ hm (base2.exp_pos _)) one_pos))
      · rw [e, base2.cast_add, base2.cast_mul, base2.cast_mul, e1]
        lin_comb (κ (.ofNat m) * E (.ofNat (k + 1)) + 1) hx + (κ b * κ (.ofNat den) * E (.ofNat (k + 1))) hf +
          (κ b * κ (.ofNat den) * (1 - f)) hE

private theorem listSum_atPair {d D : Nat} (u q : List Int) (F : Rational → Rational → Rational) :
    ∀ {hs : List HeadData}, (∀ h ∈ hs, Fits d h.1 h.2 D) → (listSum (atPair u q hs) fun h => F (κ h.2) (E h.1)) =
      listSum hs fun h => F (κ (dotList h.2 u)) (E (score (matrix d h.1) (vector d u) (vector d q)))
  | [], _ => rfl
  | h :: hs, hw => by
    have hh := hw h List.mem_cons_self
    rw [atPair, listSum_cons, listSum_cons, listSum_atPair u q F fun h' hh' => hw h' (List.mem_cons_of_mem h hh'),
      scoreList_eq (d := d) u q hh.W_le hh.row_le]

private theorem cast_atToken (q : List Int) : ∀ hs : List HeadData,
    κ (atToken q hs) = listSum hs fun h => κ (dotList h.2 q)
  | [] => base2.cast_zero
  | h :: hs => by rw [atToken, base2.cast_add, cast_atToken q hs, listSum_cons]

/-- The output on one copy of `q + u` and `n + 1` copies of `q`. -/
private theorem evalHeads_heads {d D : Nat} (hD : 1 ≤ D) {hs : List HeadData} (hw : ∀ h ∈ hs, Fits d h.1 h.2 D)
    (u q : List Int) (n : Nat) :
    base2.evalHeads (heads d D hs) (Semantics.copies 1 n (vector d u) (vector d q)) (vector d q) * κ (.ofNat D) =
      κ (atToken q hs) + listSum (atPair u q hs) fun h => κ h.2 * (E h.1 / (E h.1 + κ (.ofNat (n + 1)))) := by
  rw [cast_atToken, listSum_atPair u q (fun b e => b * (e / (e + κ (.ofNat (n + 1))))) hw, ← listSum_add,
    Semantics.evalHeads, heads, listSum_map, mul_comm, ← listSum_mul]
  refine listSum_congr fun h hh => ?_
  have h1 := dotList_eq (d := d) hD (hw h hh).v_le q
  have h2 := dotList_eq (d := d) hD (hw h hh).v_le u
  rw [base2.eval_copies, natCast_one, one_mul, natCast_eq_cast]
  generalize E (score (matrix d h.1) (vector d u) (vector d q)) /
    (E (score (matrix d h.1) (vector d u) (vector d q)) + κ (.ofNat (n + 1))) = f at *
  lin_comb (1) h1 + (f) h2

private theorem of_checkLadder {d D : Nat} (hD : 1 ≤ D) {hs : List HeadData} (hw : ∀ h ∈ hs, Fits d h.1 h.2 D)
    (u q : List Int) : ∀ {m : Nat} {as : List (Int × Nat)},
    checkLadder D (atPair u q hs) (atToken q hs) (m + 1) as = true →
    ∀ n, n < as.length →
      base2.evalHeads (heads d D hs) (Semantics.copies 1 (m + n) (vector d u) (vector d q)) (vector d q) =
        fraction (nth (0, 1) as n)
  | m, a :: as, h, 0, _ => by
    obtain ⟨ha, h⟩ := and_iff.mp h
    have ha := cast_ne_zero (ble_iff.mp ha)
    have hpos : (0 : Rational) < κ (.ofNat (m + 1)) := by rw [← natCast_eq_cast]; exact natCast_pos m
    have key := of_checkRung hpos (x := κ (atToken q hs)) (den := 1) (cast_ne_zero (Nat.le_refl 1))
      (by rw [show κ (.ofNat 1) = 1 from rfl, mul_one]) (and_iff.mp h).1
    rw [← evalHeads_heads hD hw u q m] at key
    show _ = κ a.1 / κ (.ofNat a.2)
    symm
    rw [div_eq_iff ha]
    apply mul_right_cancel (cast_ne_zero hD)
    rw [Nat.add_zero]
    lin_comb (-1) key
  | m, a :: as, h, n + 1, hn => by
    have := of_checkLadder hD hw u q (m := m + 1) (and_iff.mp (and_iff.mp h).2).2 n (Nat.lt_of_succ_lt_succ hn)
    rw [Nat.succ_add] at this
    exact this

private theorem of_checkDirections {d p D rungs : Nat} {hs : List HeadData} {q : List Int} {x : Int} :
    ∀ {t : Nat} {A : List (List (Int × Nat))}, checkDirections d p D rungs hs q x t A = true → ∀ i, i < A.length →
      (nth [] A i).length = rungs ∧ checkLadder D (atPair (residues p d (t + i)) q hs) x 1 (nth [] A i) = true
  | t, a :: A, h, 0, _ => ⟨beq_iff.mp (and_iff.mp h).1, (and_iff.mp (and_iff.mp h).2).1⟩
  | t, a :: A, h, i + 1, hi => by
    have := of_checkDirections (and_iff.mp (and_iff.mp h).2).2 i (Nat.lt_of_succ_lt_succ hi)
    rwa [Nat.succ_add] at this

private theorem of_checkTokens {d p D rungs width : Nat} {hs : List HeadData} :
    ∀ {s : Nat} {A : List (List (List (Int × Nat)))}, checkTokens d p D rungs width hs s A = true → ∀ i, i < A.length →
      (nth [] A i).length = width ∧ checkDirections d p D rungs hs (residues p d (s + i))
        (atToken (residues p d (s + i)) hs) 0 (nth [] A i) = true
  | s, a :: A, h, 0, _ => ⟨beq_iff.mp (and_iff.mp h).1, (and_iff.mp (and_iff.mp h).2).1⟩
  | s, a :: A, h, i + 1, hi => by
    have := of_checkTokens (and_iff.mp (and_iff.mp h).2).2 i (Nat.lt_of_succ_lt_succ hi)
    rwa [Nat.succ_add] at this

/-! ## Length one -/

private theorem fraction_add (a b : Int) (D : Nat) : fraction (a + b, D) = fraction (a, D) + fraction (b, D) := by
  rw [fraction, fraction, fraction, base2.cast_add]
  exact add_div _ _ _

private theorem evalHeads_basis {d D : Nat} (i : Fin d) : ∀ hs : List HeadData,
    base2.evalHeads (heads d D hs) [] (basis i) = fraction (nth 0 (valueList d hs) i.val, D)
  | [] => by
    rw [valueList, nth_replicate 0 0 i.isLt, fraction, base2.cast_zero, zero_div]
    rfl
  | h :: hs => by
    rw [valueList, nth_addLists, fraction_add, ← evalHeads_basis i hs]
    show base2.eval _ _ [] _ + _ = _
    rw [base2.eval_nil, base2.inner_basis]
    rfl

/-! ## Reduced models -/

private theorem of_differ : ∀ {l m : List Int}, differ l m = true → ∃ i, i < l.length ∧ nth 0 l i ≠ nth 0 m i
  | x :: l, y :: m, h => by
    cases hx : sameInt x y
    · exact ⟨0, Nat.succ_pos _, ne_of_sameInt hx⟩
    · rw [differ, hx] at h
      obtain ⟨i, h1, h2⟩ := of_differ (l := l) (m := m) h
      exact ⟨i + 1, Nat.succ_lt_succ h1, h2⟩

private theorem of_differRows : ∀ {W W' : List (List Int)}, differRows W W' = true →
    ∃ i, i < W.length ∧ differ (nth [] W i) (nth [] W' i) = true
  | r :: W, r' :: W', h => by
    cases hr : differ r r'
    · rw [differRows, hr] at h
      obtain ⟨i, h1, h2⟩ := of_differRows (W := W) (W' := W') h
      exact ⟨i + 1, Nat.succ_lt_succ h1, h2⟩
    · exact ⟨0, Nat.succ_pos _, hr⟩

private theorem matrix_ne {d D : Nat} {W W' : List (List Int)} {v : List Int} (hw : Fits d W v D)
    (h : differRows W W' = true) : matrix d W ≠ matrix d W' := fun e => by
  obtain ⟨i, hi, h⟩ := of_differRows h
  obtain ⟨j, hj, h⟩ := of_differ h
  have hlen : (nth [] W i).length ≤ d := by
    rcases nth_mem [] W i with h' | h'
    · rw [h']
      exact Nat.zero_le d
    · exact hw.row_le _ h'
  exact h (congrFun (congrFun e ⟨i, Nat.lt_of_lt_of_le hi hw.W_le⟩) ⟨j, Nat.lt_of_lt_of_le hj hlen⟩)

private theorem reduced_heads {d D : Nat} (hD : 1 ≤ D) : ∀ {hs : List HeadData}, (∀ h ∈ hs, Fits d h.1 h.2 D) →
    checkReduced hs = true → Reduced (heads d D hs)
  | [], _, _ => ⟨.nil, fun _ h => nomatch h⟩
  | h :: hs, hw, hr => by
    obtain ⟨h1, hr⟩ := and_iff.mp hr
    obtain ⟨h2, h3⟩ := and_iff.mp hr
    have hh := hw h List.mem_cons_self
    have ih := reduced_heads hD (fun k hk => hw k (List.mem_cons_of_mem h hk)) h3
    have hv := ble_iff.mp h1
    refine ⟨List.pairwise_cons.mpr ⟨fun k hk => ?_, ih.distinct⟩, fun k hk => ?_⟩
    · obtain ⟨k', hk', rfl⟩ := List.mem_map.mp hk
      exact matrix_ne hh (of_every h2 k' hk')
    · rcases List.mem_cons.mp hk with rfl | hk
      · exact fun e => nth_firstNonzero hv ((values_eq_zero_iff hD
          ⟨firstNonzero h.2, Nat.lt_of_lt_of_le hv hh.v_le⟩).mp (congrFun e _))
      · exact ih.ne_zero k hk

/-! ## The certificate -/

variable {d n N p D : Nat} {hs : List HeadData} {B : List (Int × Nat)} {A : List (List (List (Int × Nat)))}

private theorem of_checkModel (h : checkModel d n N p D hs B A = true) :
    hs.length + n ≤ N ∧ base2.Separating (residuePairs d N p) N ∧ Reduced (heads d D hs) ∧
      ClassAnswers d N p B A (modelOracle (heads d D hs)) := by
  obtain ⟨h1, h⟩ := and_iff.mp h
  obtain ⟨h2, h⟩ := and_iff.mp h
  obtain ⟨h3, h⟩ := and_iff.mp h
  obtain ⟨h4, h⟩ := and_iff.mp h
  obtain ⟨h5, h⟩ := and_iff.mp h
  obtain ⟨h6, h⟩ := and_iff.mp h
  obtain ⟨h7, h⟩ := and_iff.mp h
  obtain ⟨h8, h⟩ := and_iff.mp h
  obtain ⟨h9, h10⟩ := and_iff.mp h
  have hD := ble_iff.mp h4
  have hw : ∀ h ∈ hs, Fits d h.1 h.2 D := fun k hk => of_fits (of_every h5 k hk)
  refine ⟨ble_iff.mp h1, residues_separating h2 (ble_iff.mp h3), reduced_heads hD hw h6, fun i => ?_,
    fun s t n hs' ht hn => ?_⟩
  · rw [modelOracle, evalHeads_basis]
    exact of_checkSingles hD h8 i.val (by rw [beq_iff.mp h7]; exact i.isLt)
  · obtain ⟨e1, k1⟩ := of_checkTokens h10 s (by rw [beq_iff.mp h9]; exact hs')
    obtain ⟨e2, k2⟩ := of_checkDirections k1 t (by rw [e1]; exact ht)
    have := of_checkLadder hD hw _ _ (m := 0) k2 n (by rw [e2]; exact hn)
    simp only [Nat.zero_add] at this
    exact this

/-- **Certified model.** If the check succeeds, then a model with at most `n` heads gives the answers iff it computes
the same function as the certified model. -/
theorem model_certified (h : checkModel d n N p D hs B A = true) {H' : List (Head Int Rational d)}
    (hn : H'.length ≤ n) : ClassAnswers d N p B A (modelOracle H') ↔
      ∀ xs q, base2.evalHeads H' xs q = base2.evalHeads (heads d D hs) xs q := by
  obtain ⟨hN, hP, -, ha⟩ := of_checkModel h
  constructor
  · intro h'
    have ht := base2.short_total hP (H := H') (H' := heads d D hs) ((H' ++ heads d D hs).map Head.W)
      (by
        rw [List.length_map, List.length_append, heads, List.length_map, Nat.add_comm]
        exact Nat.le_trans (Nat.add_le_add_left hn _) hN)
      (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inl hk), rfl⟩)
      (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inr hk), rfl⟩) (fun x hx => by
        rcases List.mem_append.mp hx with hx | hx
        · obtain ⟨i, -, rfl⟩ := List.mem_map.mp hx
          exact (h'.single i).trans (ha.single i).symm
        · obtain ⟨y, hy, hx⟩ := List.mem_flatMap.mp hx
          obtain ⟨s, t, hs', ht, rfl⟩ := of_mem_residuePairs hy
          obtain ⟨n, hn, rfl⟩ := List.mem_map.mp hx
          exact (h'.ladder s t n hs' ht (List.mem_range.mp hn)).trans
            (ha.ladder s t n hs' ht (List.mem_range.mp hn)).symm)
    exact (base2.fibre _ _).mpr ht
  · intro h'
    exact ⟨fun i => (h' _ _).trans (ha.single i), fun s t n hs' ht hn => (h' _ _).trans (ha.ladder s t n hs' ht hn)⟩

/-- **Certified model, up to symmetry.** If the check succeeds, then a model with at most `n` heads gives the answers
iff its canonical form consists of the certified heads, in some order. -/
theorem model_certified_canonical (h : checkModel d n N p D hs B A = true) {H' : List (Head Int Rational d)}
    (hn : H'.length ≤ n) : ClassAnswers d N p B A (modelOracle H') ↔
      (canonical H').Perm (heads d D hs) := by
  rw [model_certified h hn, base2.canonical_complete, canonical_of_reduced (of_checkModel h).2.2.1]

/-- **The bound on the number of heads is needed**: two heads whose value vectors add up to zero give the answers of no
heads at the queries that are enough for one more head, and compute another function. -/
theorem model_certified_bound_needed : ∃ (B : List (Int × Nat)) (A : List (List (List (Int × Nat))))
    (H' : List (Head Int Rational 1)), checkModel 1 1 1 2 1 [] B A = true ∧
      ClassAnswers 1 1 2 B A (modelOracle H') ∧
      ¬ ∀ xs q, base2.evalHeads H' xs q = base2.evalHeads (heads 1 1 []) xs q := by
  refine ⟨[(0, 1)], [[[]]], [⟨fun _ _ => 1, fun _ => 1⟩, ⟨fun _ _ => 0, fun _ => -1⟩], by decide +kernel,
    ⟨fun i => ?_, fun s t n _ _ hn => absurd hn (Nat.not_lt_zero n)⟩, fun h => ?_⟩
  · revert i
    decide +kernel
  · exact absurd (h [fun _ => 2] (fun _ => 1)) (by decide +kernel)

end Certificate

end AttentionQueries
