import AttentionQueries.Certificate.Fast
import AttentionQueries.Certificate.RS

/-! # Certificates for several heads

`checkClass` verifies, with integers only, that a list of heads answers the explicit questions of `RS.lean` as recorded;
then every base2 with few enough heads that answers them so has the same canonical form. -/

namespace AttentionQueries
open CommRing OrderedField

set_option linter.unusedVariables false
namespace Cert

/-! ## the checker -/
/-- signed residue -/
def sres (p r : Nat) : Int := cond (Nat.ble (Nat.mul 2 r) p) (.ofNat r) (Int.sub (.ofNat r) (.ofNat p))
/-- `[x, x b, x b², …]` modulo `p` -/
def powL (p b : Nat) : Nat → Nat → Tok
  | 0, _ => []
  | d + 1, x => sres p x :: powL p b d (Nat.mod (Nat.mul x b) p)
def uTok (p d t : Nat) : Tok := powL p t d 1
def qTok (p d t : Nat) : Tok := powL p (Nat.mod (Nat.pow t d) p) d 1
def mapL {A B : Type} (f : A → B) : List A → List B
  | [] => []
  | a :: l => f a :: mapL f l
def flatL {A B : Type} (f : A → List B) : List A → List B
  | [] => []
  | a :: l => appL (f a) (flatL f l)
where appL : List B → List B → List B
  | [], m => m
  | b :: l, m => b :: appL l m
/-- one answer `n / a`: `m` copies of the query, heads given by scores and values at `u` -/
def rung (m D : Nat) (n : Int) (a : Nat) : List (Int × Int) → Int → Nat → Bool
  | [], num, den => ieq (Int.mul n (.ofNat (Nat.mul D den))) (Int.mul (.ofNat a) num)
  | (s, b) :: hs, num, den =>
    match s with
    | .ofNat k => rung m D n a hs
        (Int.add (Int.mul num (.ofNat (Nat.add (Nat.pow 2 k) m))) (Int.mul (.ofNat den) (Int.mul b (.ofNat (Nat.pow 2 k)))))
        (Nat.mul den (Nat.add (Nat.pow 2 k) m))
    | .negSucc k => rung m D n a hs
        (Int.add (Int.mul num (.ofNat (Nat.succ (Nat.mul m (Nat.pow 2 (Nat.succ k)))))) (Int.mul (.ofNat den) b))
        (Nat.mul den (Nat.succ (Nat.mul m (Nat.pow 2 (Nat.succ k)))))
def rungs (D : Nat) (hs : List (Int × Int)) (P : Int) : Nat → List (Int × Nat) → Bool
  | _, [] => true
  | m, (n, a) :: as => cond (Nat.ble 1 a) (cond (rung m D n a hs P 1) (rungs D hs P (m + 1) as) false) false
def atPair (u q : Tok) : List (List (List Int) × List Int) → List (Int × Int)
  | [] => []
  | h :: hs => (scoreL h.1 u q, pairL h.2 u) :: atPair u q hs
def atQuery (q : Tok) : List (List (List Int) × List Int) → Int
  | [] => .ofNat 0
  | h :: hs => Int.add (pairL h.2 q) (atQuery q hs)
def ladders (N D : Nat) (hs : List (List (List Int) × List Int)) : List (Tok × Tok) → List (List (Int × Nat)) → Bool
  | p :: ps, a :: A => cond (Nat.beq a.length (N + 1))
      (cond (rungs D (atPair p.1 p.2 hs) (atQuery p.2 hs) 1 a) (ladders N D hs ps A) false) false
  | [], [] => true
  | _, _ => false
/-- the pairs `(u, q)`: one parameter, or two (smaller numbers, more questions) -/
def curve (d N p : Nat) : List (Tok × Tok) := mapL (fun t => (uTok p d t, qTok p d t)) (down (points d N))
def grid (d N p : Nat) : List (Tok × Tok) :=
  flatL (fun s => mapL (fun t => (uTok p d t, uTok p d s)) (down (gridT d N))) (down (gridS d N))
def checkPairs (d N D : Nat) (ps : List (Tok × Tok)) (hs : List (List (List Int) × List Int)) (A : List (List (Int × Nat))) : Bool :=
  cond (allB (fun h => wf d h.1 h.2 D) hs) (cond (Nat.ble 1 D) (ladders N D hs ps A) false) false
def checkClass (d N p D : Nat) (hs : List (List (List Int) × List Int)) (A : List (List (Int × Nat))) : Bool :=
  cond (primeB p) (cond (Nat.ble (points d N) p) (checkPairs d N D (curve d N p) hs A) false) false
def checkGrid (d N p D : Nat) (hs : List (List (List Int) × List Int)) (A : List (List (Int × Nat))) : Bool :=
  cond (primeB p) (cond (Nat.ble (gridT d N) p) (checkPairs d N D (grid d N p) hs A) false) false

/-! ## meaning -/
def toHeads (d D : Nat) (hs : List (List (List Int) × List Int)) : List (Head Int Rational d) := hs.map fun h => ⟨toMat d h.1, toVal d h.2 D⟩
def uVec (p d t : Nat) : Vec Int d := toVec d (uTok p d t)
def qVec (p d t : Nat) : Vec Int d := toVec d (qTok p d t)
/-- the function `f` takes the values `as` on `n`, `n + 1`, … extra copies of `q` -/
def Rungs {d : Nat} (f : List (Vec Int d) → Vec Int d → Rational) (u q : Vec Int d) : Nat → List (Int × Nat) → Prop
  | _, [] => True
  | n, a :: as => f (Semantics.copies 1 n u q) q = frac a ∧ Rungs f u q (n + 1) as
/-- the function `f` answers all questions as recorded -/
def Ladders {d : Nat} (N : Nat) (f : List (Vec Int d) → Vec Int d → Rational) : List (Tok × Tok) → List (List (Int × Nat)) → Prop
  | p :: ps, a :: A => a.length = N + 1 ∧ Rungs f (toVec d p.1) (toVec d p.2) 0 a ∧ Ladders N f ps A
  | [], [] => True
  | _, _ => False

theorem Rungs.agree {d : Nat} {f g : List (Vec Int d) → Vec Int d → Rational} {u q : Vec Int d} : ∀ {n : Nat} {as : List (Int × Nat)},
    Rungs f u q n as → Rungs g u q n as → ∀ k, k < as.length → f (Semantics.copies 1 (n + k) u q) q = g (Semantics.copies 1 (n + k) u q) q
  | n, a :: as, hf, hg, 0, _ => hf.1.trans hg.1.symm
  | n, a :: as, hf, hg, k + 1, hk => by
    have := Rungs.agree hf.2 hg.2 k (Nat.lt_of_succ_lt_succ hk)
    rwa [Nat.succ_add] at this
theorem Ladders.agree {d N : Nat} {f g : List (Vec Int d) → Vec Int d → Rational} : ∀ {ps : List (Tok × Tok)} {A : List (List (Int × Nat))},
    Ladders N f ps A → Ladders N g ps A → ∀ p ∈ ps, ∀ n, n < N + 1 →
    f (Semantics.copies 1 n (toVec d p.1) (toVec d p.2)) (toVec d p.2) = g (Semantics.copies 1 n (toVec d p.1) (toVec d p.2)) (toVec d p.2)
  | p' :: ps, a :: A, hf, hg, p, hp, n, hn => by
    rcases List.mem_cons.mp hp with rfl | hp
    · have := hf.2.1.agree hg.2.1 n (by rw [hf.1]; exact hn)
      rwa [Nat.zero_add] at this
    · exact Ladders.agree hf.2.2 hg.2.2 p hp n hn
  | [], [], _, _, _, hp, _, _ => nomatch hp
theorem mem_mapL {A B : Type} {f : A → B} : ∀ {l : List A} {a : A}, a ∈ l → f a ∈ mapL f l
  | b :: l, a, h => by
    rcases List.mem_cons.mp h with rfl | h
    · exact List.mem_cons_self
    · exact List.mem_cons_of_mem _ (mem_mapL h)
theorem mem_appL {B : Type} : ∀ {l m : List B} {b : B}, (b ∈ l ∨ b ∈ m) → b ∈ flatL.appL l m
  | [], _, _, h => h.resolve_left fun h => nomatch h
  | c :: l, m, b, h => by
    rcases h with h | h
    · rcases List.mem_cons.mp h with rfl | h
      · exact List.mem_cons_self
      · exact List.mem_cons_of_mem _ (mem_appL (.inl h))
    · exact List.mem_cons_of_mem _ (mem_appL (.inr h))
theorem mem_flatL {A B : Type} {f : A → List B} {b : B} : ∀ {l : List A} {a : A}, a ∈ l → b ∈ f a → b ∈ flatL f l
  | a' :: l, a, h, hb => by
    rcases List.mem_cons.mp h with rfl | h
    · exact mem_appL (.inl hb)
    · exact mem_appL (.inr (mem_flatL h hb))

/-! ## the residues -/
theorem Dv.refl_sub (p : Nat) (a : Int) : Dv p (a - a) := by rw [sub_self]; exact Dv.zero p
theorem sres_dv (p r : Nat) : Dv p (sres p r - .ofNat r) := by
  unfold sres
  cases Nat.ble (Nat.mul 2 r) p
  · exact ⟨-1, by show (Int.ofNat r - Int.ofNat p) - Int.ofNat r = _; ring⟩
  · exact Dv.refl_sub p _
theorem mod_dv (p n : Nat) : Dv p (.ofNat (n % p) - .ofNat n) := by
  have h : Int.ofNat p * .ofNat (n / p) + .ofNat (n % p) = .ofNat n := congrArg Int.ofNat (Nat.div_add_mod n p)
  exact ⟨-.ofNat (n / p), by lin_comb (1) h⟩
theorem powL_dv {p b : Nat} {β : Int} (hb : Dv p (.ofNat b - β)) : ∀ {d x : Nat} {ξ : Int}, Dv p (.ofNat x - ξ) → ∀ i, i < d →
    Dv p (nthD 0 (powL p b d x) i - ξ * npow β i)
  | d + 1, x, ξ, hx, 0, _ => by
    have := (sres_dv p x).add hx
    show Dv p (sres p x - ξ * 1)
    rwa [show sres p x - Int.ofNat x + (Int.ofNat x - ξ) = sres p x - ξ * 1 by ring] at this
  | d + 1, x, ξ, hx, i + 1, hi => by
    have h1 : Dv p (.ofNat (x * b % p) - ξ * β) := by
      have h2 := ((mod_dv p (x * b)).add (hx.mul (.ofNat b))).add (hb.mul ξ)
      rwa [show Int.ofNat (x * b) = .ofNat x * .ofNat b from rfl,
        show Int.ofNat (x * b % p) - Int.ofNat x * Int.ofNat b + Int.ofNat b * (Int.ofNat x - ξ) + ξ * (Int.ofNat b - β) =
          Int.ofNat (x * b % p) - ξ * β by ring] at h2
    have := powL_dv hb (d := d) h1 i (Nat.lt_of_succ_lt_succ hi)
    show Dv p (nthD 0 (powL p b d (x * b % p)) i - ξ * (β * npow β i))
    rwa [mul_assoc] at this
theorem ofNat_pow (t n : Nat) : Int.ofNat (t ^ n) = npow (.ofNat t) n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [npow, ← ih, Nat.pow_succ, Nat.mul_comm]; rfl
theorem npow_mul (a : Int) (m n : Nat) : npow a (m * n) = npow (npow a m) n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Nat.mul_succ, npow_add, ih, npow, mul_comm]
theorem reps (p d : Nat) : Reps p d d (uVec p d) (qVec p d) where
  u t i := by
    have := powL_dv (p := p) (Dv.refl_sub p (.ofNat t)) (Dv.refl_sub p (.ofNat 1)) i.val i.isLt
    rwa [show Int.ofNat 1 = 1 from rfl, one_mul] at this
  q t j := by
    have hb : Dv p (.ofNat (t ^ d % p) - npow (.ofNat t) d) := by rw [← ofNat_pow]; exact mod_dv p _
    have := powL_dv (p := p) hb (Dv.refl_sub p (.ofNat 1)) j.val j.isLt
    rw [npow_mul]
    rwa [show Int.ofNat 1 = 1 from rfl, one_mul] at this

/-! ## soundness -/
local notation "E" => Semantics.exp base2
local notation "κ" => Semantics.cast base2
theorem nat_int (n : Nat) : (natCast n : Int) = .ofNat n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [natCast_succ, ih]; rfl
theorem rung_sound {m D : Nat} {n : Int} {a : Nat} (hm : (0 : Rational) < κ (.ofNat m)) : ∀ {hs : List (Int × Int)} {num : Int} {den : Nat} {x : Rational},
    κ (.ofNat den) ≠ 0 → x * κ (.ofNat den) = κ num → rung m D n a hs num den = true →
    (x + listSum hs fun h => κ h.2 * (E h.1 / (E h.1 + κ (.ofNat m)))) * κ (.ofNat a) = κ n * κ (.ofNat D)
  | [], num, den, x, hd, hx, h => by
    have h : n * (.ofNat D * .ofNat den) = .ofNat a * num := ieq_eq h
    have h := congrArg (κ) h
    rw [base2.cast_mul, base2.cast_mul, base2.cast_mul] at h
    rw [listSum_nil, add_zero]
    apply mul_right_cancel hd
    lin_comb (κ (.ofNat a)) hx + (-1) h
  | (s, b) :: hs, num, den, x, hd, hx, h => by
    rw [listSum_cons, ← add_assoc]
    have hne := pos_ne (add_pos (base2.exp_pos s) hm)
    have hf := div_mul_cancel (E s) hne
    show (x + κ b * (E s / (E s + κ (.ofNat m))) + _) * _ = _
    generalize E s / (E s + κ (.ofNat m)) = f at *
    cases s with
    | ofNat k =>
      have e : κ (.ofNat (den * (2 ^ k + m))) = κ (.ofNat den) * (E (.ofNat k) + κ (.ofNat m)) := by
        rw [exp_ofNat, ← base2.cast_add, ← base2.cast_mul]; rfl
      refine rung_sound hm (hs := hs) (den := den * (2 ^ k + m)) (num := num * (.ofNat (2 ^ k) + .ofNat m) + .ofNat den * (b * .ofNat (2 ^ k))) ?_ ?_ h
      · rw [e]; exact mul_ne_zero hd hne
      · rw [e]
        simp only [base2.cast_add, base2.cast_mul, ← exp_ofNat]
        lin_comb (E (.ofNat k) + κ (.ofNat m)) hx + (κ b * κ (.ofNat den)) hf
    | negSucc k =>
      have hE : E (.ofNat (k + 1)) * E (.negSucc k) = 1 := base2.exp_mul_neg (.ofNat (k + 1))
      have e1 : κ (.ofNat (m * 2 ^ (k + 1) + 1)) = κ (.ofNat m) * E (.ofNat (k + 1)) + 1 := by
        rw [exp_ofNat, ← base2.cast_one, ← base2.cast_mul, ← base2.cast_add]; rfl
      have e : κ (.ofNat (den * (m * 2 ^ (k + 1) + 1))) = κ (.ofNat den) * (κ (.ofNat m) * E (.ofNat (k + 1)) + 1) := by
        rw [← e1, ← base2.cast_mul]; rfl
      refine rung_sound hm (hs := hs) (den := den * (m * 2 ^ (k + 1) + 1)) (num := num * (.ofNat (m * 2 ^ (k + 1) + 1)) + .ofNat den * b) ?_ ?_ h
      · rw [e]
        exact mul_ne_zero hd (pos_ne (add_pos (mul_pos _ _ hm (base2.exp_pos _)) one_pos))
      · rw [e, base2.cast_add, base2.cast_mul, base2.cast_mul, e1]
        lin_comb (κ (.ofNat m) * E (.ofNat (k + 1)) + 1) hx + (κ b * κ (.ofNat den) * E (.ofNat (k + 1))) hf +
          (κ b * κ (.ofNat den) * (1 - f)) hE

theorem listSum_atPair {d D : Nat} (u q : Tok) (F : Rational → Rational → Rational) : ∀ {hs : List (List (List Int) × List Int)},
    (∀ h ∈ hs, WF d h.1 h.2 D) → (listSum (atPair u q hs) fun h => F (κ h.2) (E h.1)) =
      listSum hs fun h => F (κ (pairL h.2 u)) (E (score (toMat d h.1) (toVec d u) (toVec d q)))
  | [], _ => rfl
  | h :: hs, hw => by
    have hh := hw h List.mem_cons_self
    rw [atPair, listSum_cons, listSum_cons, listSum_atPair u q F fun h' hh' => hw h' (List.mem_cons_of_mem h hh'),
      scoreL_eq (d := d) u q hh.W_le hh.row_le]
theorem cast_atQuery (q : Tok) : ∀ hs : List (List (List Int) × List Int), κ (atQuery q hs) = listSum hs fun h => κ (pairL h.2 q)
  | [] => base2.cast_zero
  | h :: hs => by
    show κ (pairL h.2 q + atQuery q hs) = _
    rw [base2.cast_add, cast_atQuery q hs, listSum_cons]
theorem evalHeads_toHeads {d D : Nat} (hD : 1 ≤ D) {hs : List (List (List Int) × List Int)} (hw : ∀ h ∈ hs, WF d h.1 h.2 D) (u q : Tok) (n : Nat) :
    base2.evalHeads (toHeads d D hs) (Semantics.copies 1 n (toVec d u) (toVec d q)) (toVec d q) * κ (.ofNat D) =
      κ (atQuery q hs) + listSum (atPair u q hs) fun h => κ h.2 * (E h.1 / (E h.1 + κ (.ofNat (n + 1)))) := by
  rw [cast_atQuery, listSum_atPair u q (fun b e => b * (e / (e + κ (.ofNat (n + 1))))) hw, ← listSum_add, Semantics.evalHeads, toHeads, listSum_map,
    mul_comm, ← listSum_mul]
  refine listSum_congr fun h hh => ?_
  have h1 := pair_toVal (d := d) hD (hw h hh).v_le q
  have h2 := pair_toVal (d := d) hD (hw h hh).v_le u
  rw [base2.eval_copies, natCast_one, one_mul, show (natCast (n + 1) : Rational) = κ (.ofNat (n + 1)) by rw [← nat_int, base2.cast_natCast]]
  generalize E (score (toMat d h.1) (toVec d u) (toVec d q)) / (E (score (toMat d h.1) (toVec d u) (toVec d q)) + κ (.ofNat (n + 1))) = f at *
  lin_comb (1) h1 + (f) h2
theorem rungs_sound {d D : Nat} (hD : 1 ≤ D) {hs : List (List (List Int) × List Int)} (hw : ∀ h ∈ hs, WF d h.1 h.2 D) (u q : Tok) :
    ∀ {n : Nat} {as : List (Int × Nat)}, rungs D (atPair u q hs) (atQuery q hs) (n + 1) as = true →
    Rungs (base2.evalHeads (toHeads d D hs)) (toVec d u) (toVec d q) n as
  | n, [], _ => trivial
  | n, (b, a) :: as, h => by
    obtain ⟨ha, h⟩ := cond_true h
    obtain ⟨h1, h2⟩ := cond_true h
    refine ⟨?_, rungs_sound hD hw u q h2⟩
    have ha := cast_pos (Nat.le_of_ble_eq_true ha)
    have hpos : (0 : Rational) < κ (.ofNat (n + 1)) := by rw [← nat_int, base2.cast_natCast]; exact natCast_pos n
    have key := rung_sound hpos (x := κ (atQuery q hs)) (den := 1) (cast_pos (Nat.le_refl 1))
      (by rw [show κ (.ofNat 1) = 1 from rfl, mul_one]) h1
    rw [← evalHeads_toHeads hD hw u q n] at key
    rw [frac]
    symm
    rw [div_eq_iff ha]
    apply mul_right_cancel (cast_pos hD)
    lin_comb (-1) key
theorem ladders_sound {d N D : Nat} (hD : 1 ≤ D) {hs : List (List (List Int) × List Int)} (hw : ∀ h ∈ hs, WF d h.1 h.2 D) :
    ∀ {ps : List (Tok × Tok)} {A : List (List (Int × Nat))}, ladders N D hs ps A = true →
    Ladders N (base2.evalHeads (toHeads d D hs)) ps A
  | p :: ps, a :: A, h => by
    obtain ⟨h1, h⟩ := cond_true h
    obtain ⟨h2, h3⟩ := cond_true h
    exact ⟨Nat.eq_of_beq_eq_true h1, rungs_sound hD hw _ _ h2, ladders_sound hD hw h3⟩
  | [], [], _ => trivial

/-- what a certificate with the pairs `ps` says: the heads `hs` answer as recorded, and every base2 answering so whose
matrices together with those of `hs` are at most `N` in number has the same totals as `hs` and computes the same function -/
def Certifies (d N D : Nat) (ps : List (Tok × Tok)) (hs : List (List (List Int) × List Int)) (A : List (List (Int × Nat))) : Prop :=
  Ladders N (base2.evalHeads (toHeads d D hs)) ps A ∧
  ∀ (Ws : List (Mat Int d)) (H' : List (Head Int Rational d)), Ws.length ≤ N → (∀ h ∈ toHeads d D hs, h.W ∈ Ws) → (∀ h ∈ H', h.W ∈ Ws) →
    Ladders N (base2.evalHeads H') ps A →
    (∀ W, total (toHeads d D hs) W = total H' W) ∧ ∀ xs q, base2.evalHeads (toHeads d D hs) xs q = base2.evalHeads H' xs q
theorem checkPairs_sound {d N D : Nat} {ps : List (Tok × Tok)} {P : List (Vec Int d × Vec Int d)} (hP : base2.Separating P N)
    (hmem : ∀ x ∈ P, ∃ p ∈ ps, x = (toVec d p.1, toVec d p.2)) {hs : List (List (List Int) × List Int)} {A : List (List (Int × Nat))}
    (h : checkPairs d N D ps hs A = true) : Certifies d N D ps hs A := by
  obtain ⟨h3, h⟩ := cond_true h
  obtain ⟨h4, h5⟩ := cond_true h
  have hl := ladders_sound (Nat.le_of_ble_eq_true h4) (fun k hk => wf_sound (allB_mem h3 k hk)) h5
  refine ⟨hl, fun Ws H' hlen hH hH' hl' => ?_⟩
  have ht := base2.class_total_mat hP Ws hlen hH hH' (fun x hx => by
    obtain ⟨y, hy, hx⟩ := List.mem_flatMap.mp hx
    obtain ⟨p, hp, rfl⟩ := hmem y hy
    obtain ⟨n, hn, rfl⟩ := List.mem_map.mp hx
    exact hl.agree hl' p hp n (List.mem_range.mp hn))
  exact ⟨ht, (base2.fibre _ _).mpr ht⟩

/-- **Soundness** for the one-parameter questions. -/
theorem checkClass_sound {d N p D : Nat} {hs : List (List (List Int) × List Int)} {A : List (List (Int × Nat))}
    (h : checkClass d N p D hs A = true) : Certifies d N D (curve d N p) hs A := by
  obtain ⟨h1, h⟩ := cond_true h
  obtain ⟨h2, h⟩ := cond_true h
  refine checkPairs_sound (residues_separating (N := N) h1 (Nat.le_of_ble_eq_true h2) (reps p d)) (fun x hx => ?_) h
  obtain ⟨t, ht, rfl⟩ := List.mem_map.mp hx
  exact ⟨_, mem_mapL ht, rfl⟩
/-- **Soundness** for the two-parameter questions. -/
theorem checkGrid_sound {d N p D : Nat} {hs : List (List (List Int) × List Int)} {A : List (List (Int × Nat))}
    (h : checkGrid d N p D hs A = true) : Certifies d N D (grid d N p) hs A := by
  obtain ⟨h1, h⟩ := cond_true h
  obtain ⟨h2, h⟩ := cond_true h
  refine checkPairs_sound (grid_separating (N := N) h1 (Nat.le_of_ble_eq_true h2) (U := uVec p d) (reps p d).u) (fun x hx => ?_) h
  obtain ⟨s, hs', hx⟩ := List.mem_flatMap.mp hx
  obtain ⟨t, ht, rfl⟩ := List.mem_map.mp hx
  exact ⟨_, mem_flatL hs' (mem_mapL ht), rfl⟩
/-- counting heads -/
theorem Certifies.heads {d N D : Nat} {ps : List (Tok × Tok)} {hs : List (List (List Int) × List Int)} {A : List (List (Int × Nat))}
    (h : Certifies d N D ps hs A) {H' : List (Head Int Rational d)} (hlen : hs.length + H'.length ≤ N) (hl : Ladders N (base2.evalHeads H') ps A) :
    (∀ W, total (toHeads d D hs) W = total H' W) ∧ ∀ xs q, base2.evalHeads (toHeads d D hs) xs q = base2.evalHeads H' xs q :=
  h.2 ((toHeads d D hs ++ H').map Head.W) H' (by rw [List.length_map, List.length_append, toHeads, List.length_map]; exact hlen)
    (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inl hk), rfl⟩)
    (fun k hk => List.mem_map.mpr ⟨k, List.mem_append.mpr (.inr hk), rfl⟩) hl
/-- for reduced models: equality up to order -/
theorem Certifies.perm {d N D : Nat} {ps : List (Tok × Tok)} {hs : List (List (List Int) × List Int)} {A : List (List (Int × Nat))}
    (h : Certifies d N D ps hs A) (hr : Reduced (toHeads d D hs)) {H' : List (Head Int Rational d)} (hr' : Reduced H')
    (hlen : hs.length + H'.length ≤ N) (hl : Ladders N (base2.evalHeads H') ps A) : (toHeads d D hs).Perm H' :=
  hr.perm_of_total hr' (h.heads hlen hl).1
end Cert

end AttentionQueries
