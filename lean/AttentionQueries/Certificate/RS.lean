import AttentionQueries.Base2.Instance
import AttentionQueries.MultiHead.ClassTest

/-! # Small separating lists over `ℤ`: the moment curve modulo a prime

Entries are any representatives of `tⁱ` and `t^(d j)` modulo a prime `p ≥ (N - 1)(d² - 1) + d`. -/

namespace AttentionQueries
open CommRing OrderedField

set_option linter.unusedVariables false
set_option linter.unusedSectionVars false

/-! ## divisibility by a prime -/
def Dv (p : Nat) (x : Int) : Prop := ∃ k, x = .ofNat p * k
theorem natAbs_negOfNat (n : Nat) : (Int.negOfNat n).natAbs = n := by cases n <;> rfl
theorem natAbs_mul' : ∀ a b : Int, (a * b).natAbs = a.natAbs * b.natAbs
  | .ofNat _, .ofNat _ => rfl
  | .ofNat _, .negSucc _ => natAbs_negOfNat _
  | .negSucc _, .ofNat _ => natAbs_negOfNat _
  | .negSucc _, .negSucc _ => rfl
theorem natAbs_zero' : ∀ {a : Int}, a.natAbs = 0 → a = 0
  | .ofNat _, h => congrArg Int.ofNat h
  | .negSucc _, h => nomatch h
theorem Dv.sub {p : Nat} {a b : Int} (ha : Dv p a) (hb : Dv p b) : Dv p (a - b) := by
  obtain ⟨k, rfl⟩ := ha
  obtain ⟨l, rfl⟩ := hb
  exact ⟨k - l, by ring⟩
theorem Dv.mul {p : Nat} (c : Int) {a : Int} (ha : Dv p a) : Dv p (c * a) := by
  obtain ⟨k, rfl⟩ := ha
  exact ⟨c * k, by ring⟩
theorem Dv.add {p : Nat} {a b : Int} (ha : Dv p a) (hb : Dv p b) : Dv p (a + b) := by
  obtain ⟨k, rfl⟩ := ha
  obtain ⟨l, rfl⟩ := hb
  exact ⟨k + l, by ring⟩
theorem Dv.zero (p : Nat) : Dv p 0 := ⟨0, (mul_zero _).symm⟩

/-- every nonzero residue has an inverse (a check by search) -/
def hasInv (p a : Nat) : Nat → Bool
  | 0 => false
  | b + 1 => cond (Nat.beq (Nat.mod (Nat.mul a (b + 1)) p) 1) true (hasInv p a b)
def allInv (p : Nat) : Nat → Bool
  | 0 => true
  | a + 1 => cond (hasInv p (a + 1) p) (allInv p a) false
def primeB (p : Nat) : Bool := cond (Nat.ble 2 p) (allInv p (p - 1)) false

theorem hasInv_sound {p a : Nat} : ∀ {n : Nat}, hasInv p a n = true → ∃ b, a * b % p = 1
  | b + 1, h => by
    unfold hasInv at h
    cases e : Nat.beq (Nat.mod (Nat.mul a (b + 1)) p) 1
    · rw [e] at h; exact hasInv_sound (n := b) h
    · exact ⟨b + 1, Nat.eq_of_beq_eq_true e⟩
theorem allInv_sound {p : Nat} : ∀ {n : Nat}, allInv p n = true → ∀ a, a ≠ 0 → a ≤ n → ∃ b, a * b % p = 1
  | 0, _, a, h0, ha => absurd (Nat.le_zero_eq a ▸ ha : a = 0) h0
  | n + 1, h, a, h0, ha => by
    unfold allInv at h
    cases e : hasInv p (n + 1) p
    · rw [e] at h; cases h
    · rw [e] at h
      rcases Nat.lt_or_eq_of_le ha with hlt | rfl
      · exact allInv_sound (n := n) h a h0 (Nat.le_of_lt_succ hlt)
      · exact hasInv_sound e
theorem primeB_two {p : Nat} (h : primeB p = true) : 2 ≤ p := by
  unfold primeB at h
  cases e : Nat.ble 2 p
  · rw [e] at h; cases h
  · exact Nat.le_of_ble_eq_true e
theorem primeB_nat {p : Nat} (h : primeB p = true) (n : Nat) {b : Int} (hab : Dv p (.ofNat n * b)) : Dv p (.ofNat n) ∨ Dv p b := by
  have h2 := primeB_two h
  have hinv := allInv_sound (p := p) (n := p - 1) (by
    unfold primeB at h
    cases e : Nat.ble 2 p
    · rw [e] at h; cases h
    · rw [e] at h; exact h)
  have hn := Nat.div_add_mod n p
  have hlt := Nat.mod_lt n (Nat.lt_of_lt_of_le (Nat.succ_pos 1) h2)
  have hz : (Int.ofNat n) = .ofNat p * .ofNat (n / p) + .ofNat (n % p) := congrArg Int.ofNat hn.symm
  by_cases h0 : n % p = 0
  · left
    refine ⟨.ofNat (n / p), ?_⟩
    rw [hz, h0]
    exact add_zero _
  · right
    obtain ⟨c, hc⟩ := hinv (n % p) h0 (by cases p with | zero => exact absurd hlt (Nat.not_lt_zero _) | succ p => exact Nat.le_of_lt_succ hlt)
    have hq := Nat.div_add_mod (n % p * c) p
    rw [hc] at hq
    have hq : (Int.ofNat p) * .ofNat (n % p * c / p) + 1 = .ofNat (n % p) * .ofNat c := congrArg Int.ofNat hq
    obtain ⟨k, hk⟩ := hab
    generalize Int.ofNat (n % p * c / p) = q at *
    generalize Int.ofNat (n % p) = r at *
    generalize Int.ofNat (n / p) = e at *
    refine ⟨.ofNat c * (k - e * b) - q * b, ?_⟩
    rw [hz] at hk
    lin_comb (b) hq + (.ofNat c) hk
theorem primeB_prime {p : Nat} (h : primeB p = true) : Prime (Dv p) where
  zero := Dv.zero p
  add := Dv.add
  mul := Dv.mul
  prime := fun {a b} hab => by
    cases a with
    | ofNat n => exact primeB_nat h n hab
    | negSucc n =>
      have hn : Int.negSucc n = -1 * .ofNat (n + 1) := by rw [show Int.negSucc n = -(Int.ofNat (n + 1)) from rfl]; ring
      rw [hn] at hab ⊢
      have : Dv p (.ofNat (n + 1) * b) := by
        have := hab.mul (-1)
        rwa [show -1 * (-1 * Int.ofNat (n + 1) * b) = Int.ofNat (n + 1) * b by ring] at this
      exact (primeB_nat h (n + 1) this).imp (Dv.mul (-1)) id
theorem residue_ne {p a b : Nat} (ha : a < p) (hb : b < p) (h : Dv p (.ofNat a - .ofNat b)) : a = b := by
  obtain ⟨k, hk⟩ := h
  cases k with
  | ofNat k =>
    have e : Int.ofNat a = .ofNat b + .ofNat p * .ofNat k := by lin_comb (1) hk
    have e : a = b + p * k := Int.ofNat.inj e
    cases k with
    | zero => exact e
    | succ k =>
      rw [e, Nat.mul_succ, ← Nat.add_assoc] at ha
      exact absurd (Nat.lt_of_le_of_lt (Nat.le_add_left p _) ha) (Nat.lt_irrefl p)
  | negSucc k =>
    have e : Int.ofNat b = .ofNat a + .ofNat p * .ofNat (k + 1) := by
      rw [show Int.negSucc k = -(Int.ofNat (k + 1)) from rfl] at hk
      lin_comb (-1) hk
    have e : b = a + p * (k + 1) := Int.ofNat.inj e
    rw [e, Nat.mul_succ, ← Nat.add_assoc] at hb
    exact absurd (Nat.lt_of_le_of_lt (Nat.le_add_left p _) hb) (Nat.lt_irrefl p)

/-! ## descent -/
theorem lt_natAbs_npow {p : Nat} (hp : 2 ≤ p) : ∀ k : Nat, k < (npow (Int.ofNat p) k).natAbs
  | 0 => Nat.succ_pos 0
  | k + 1 => by
    rw [npow, natAbs_mul']
    show k + 1 < p * _
    have ih := lt_natAbs_npow hp k
    refine Nat.lt_of_lt_of_le ?_ (Nat.mul_le_mul hp ih)
    rw [Nat.succ_mul, Nat.one_mul]
    exact Nat.lt_add_of_pos_left (Nat.succ_pos k)
theorem zero_of_powers {p : Nat} (hp : 2 ≤ p) {x : Int} (h : ∀ k, ∃ m, x = npow (Int.ofNat p) k * m) : x = 0 := by
  obtain ⟨m, hm⟩ := h x.natAbs
  have h1 := congrArg Int.natAbs hm
  rw [natAbs_mul'] at h1
  have h2 := lt_natAbs_npow hp x.natAbs
  cases hz : m.natAbs with
  | zero => rw [hz, Nat.mul_zero] at h1; exact natAbs_zero' h1
  | succ z =>
    rw [hz] at h1
    have h3 := Nat.le_mul_of_pos_right ((npow (Int.ofNat p) x.natAbs).natAbs) (Nat.succ_pos z)
    rw [← h1] at h3
    exact absurd (Nat.lt_of_lt_of_le h2 h3) (Nat.lt_irrefl _)
theorem finSum_dv {p : Nat} : ∀ {n : Nat} {f g : Vec Int n}, (∀ i, Dv p (f i - g i)) → Dv p (finSum f - finSum g)
  | 0, _, _, _ => ⟨0, by show (0 : Int) - 0 = _ * 0; ring⟩
  | n + 1, f, g, h => by
    have := (h 0).add (finSum_dv fun i => h i.succ)
    rw [finSum_succ, finSum_succ]
    generalize finSum (fun i => f i.succ) = x at *
    generalize finSum (fun i => g i.succ) = y at *
    rwa [show f 0 - g 0 + (x - y) = f 0 + x - (g 0 + y) by ring] at this

/-- the form `∑ⱼ Qⱼ ∑ᵢ cⱼᵢ Uᵢ` -/
def form {m d : Nat} (Rational : Vec Int m) (U : Vec Int d) (c : Fin m → Vec Int d) : Int := finSum fun j => Rational j * finSum fun i => c j i * U i
theorem form_smul {m d : Nat} (Rational : Vec Int m) (U : Vec Int d) (a : Int) (c : Fin m → Vec Int d) :
    form Rational U (fun j i => a * c j i) = a * form Rational U c := by
  rw [form, form, ← finSum_mul]
  congr; funext j
  have e : finSum (fun i => a * c j i * U i) = a * finSum fun i => c j i * U i := by
    rw [← finSum_mul]
    congr; funext i
    exact mul_assoc _ _ _
  rw [e, mul_left_comm]
/-- representatives of the moments modulo `p` -/
structure Reps (p d m : Nat) (U : Nat → Vec Int d) (Rational : Nat → Vec Int m) : Prop where
  u : ∀ t i, Dv p (U t i - npow (.ofNat t) i.val)
  q : ∀ t j, Dv p (Rational t j - npow (.ofNat t) (d * j.val))
theorem form_dv {p d m : Nat} {U : Nat → Vec Int d} {Rational : Nat → Vec Int m} (h : Reps p d m U Rational) (c : Fin m → Vec Int d) (t : Nat) :
    Dv p (form (Rational t) (U t) c - peval (.ofNat t) (flat c)) := by
  rw [← finSum_flat]
  refine finSum_dv fun j => ?_
  have h1 := finSum_dv (f := fun i => c j i * U t i) (g := fun i => c j i * npow (.ofNat t) i.val) fun i => by
    have := (h.u t i).mul (c j i)
    rwa [show c j i * (U t i - npow (.ofNat t) i.val) = c j i * U t i - c j i * npow (.ofNat t) i.val by ring] at this
  have h2 := h.q t j
  generalize finSum (fun i => c j i * U t i) = x at *
  generalize finSum (fun i => c j i * npow (.ofNat t) i.val) = y at *
  have := (h1.mul (Rational t j)).add (h2.mul y)
  rwa [show Rational t j * (x - y) + y * (Rational t j - npow (.ofNat t) (d * j.val)) = Rational t j * x - npow (.ofNat t) (d * j.val) * y by ring] at this
theorem form_descent {p d m : Nat} (hp : primeB p = true) {U : Nat → Vec Int d} {Rational : Nat → Vec Int m} (h : Reps p d m U Rational)
    {l : List Nat} (hl : l.Pairwise fun a b => a ≠ b) (hlt : ∀ t ∈ l, t < p) (hlen : m * d ≤ l.length) : ∀ (k : Nat) (c : Fin m → Vec Int d),
    (∀ t ∈ l, form (Rational t) (U t) c = 0) → ∀ j i, ∃ x, c j i = npow (.ofNat p) k * x
  | 0, c, _, j, i => ⟨c j i, (one_mul _).symm⟩
  | k + 1, c, hc, j, i => by
    have hroots := peval_roots (primeB_prime hp) (l.map Int.ofNat) (flat c) (by rw [length_flat, List.length_map]; exact hlen)
      (List.pairwise_map.mpr (pairwise_of_mem hl fun a ha b hb hne e => hne (residue_ne (hlt a ha) (hlt b hb) e))) (fun t ht => by
        obtain ⟨n, hn, rfl⟩ := List.mem_map.mp ht
        have := (form_dv h c n).mul (-1)
        rw [hc n hn] at this
        rwa [show -1 * (0 - peval (Int.ofNat n) (flat c)) = peval (Int.ofNat n) (flat c) by ring] at this)
    have hall : ∀ j : Fin m, ∃ f : Vec Int d, ∀ i, c j i = .ofNat p * f i := fun j => Classical.axiomOfChoice fun i => hroots _ (mem_flat c j i)
    obtain ⟨c', hc'⟩ := Classical.axiomOfChoice hall
    have e : c = fun j i => .ofNat p * c' j i := funext fun j => funext fun i => hc' j i
    obtain ⟨x, hx⟩ := form_descent hp h hl hlt hlen k c' (fun t ht => by
      have := hc t ht
      rw [e, form_smul] at this
      refine (Int.mul_eq_zero.mp this).resolve_left fun h0 => ?_
      have h0 : p = 0 := Int.ofNat.inj h0
      have := primeB_two hp
      rw [h0] at this
      exact absurd this (Nat.not_succ_le_zero _)) j i
    exact ⟨x, by rw [hc', hx, npow, mul_assoc]⟩
theorem form_zero {p d m : Nat} (hp : primeB p = true) {U : Nat → Vec Int d} {Rational : Nat → Vec Int m} (h : Reps p d m U Rational)
    {l : List Nat} (hl : l.Pairwise fun a b => a ≠ b) (hlt : ∀ t ∈ l, t < p) (hlen : m * d ≤ l.length) {c : Fin m → Vec Int d}
    (hc : ∀ t ∈ l, form (Rational t) (U t) c = 0) (j : Fin m) (i : Fin d) : c j i = 0 :=
  zero_of_powers (primeB_two hp) fun k => form_descent hp h hl hlt hlen k c hc j i

theorem score_form {d : Nat} (D : Mat Int d) (u q : Vec Int d) : score D u q = form q u fun j i => D i j := by
  rw [score, form, show (fun i : Fin d => u i * mulVec D q i) = fun i => finSum fun j => u i * (D i j * q j) from
    funext fun i => (finSum_mul _ _).symm, finSum_comm]
  congr; funext j
  rw [← finSum_mul]
  congr; funext i
  ring

/-! ## values over `ℚ`: common denominators -/
theorem common_den : ∀ {d : Nat} (v : Vec Rational d), ∃ (c : Int) (w : Vec Int d), c ≠ 0 ∧ ∀ i, base2.cast c * v i = base2.cast (w i)
  | 0, _ => ⟨1, fun i => i.elim0, by decide, fun i => i.elim0⟩
  | d + 1, v => by
    obtain ⟨c, w, hc, h⟩ := common_den fun i => v i.succ
    have hf : ∃ n m : Int, m ≠ 0 ∧ base2.cast m * v 0 = base2.cast n := by
      generalize v 0 = a
      revert a
      refine FractionField.ind fun x => ⟨x.num, x.den, fun e => ?_, FractionField.eq ?_⟩
      · have := x.pos
        rw [e] at this
        exact Int.lt_irrefl 0 this
      · show x.den * x.num * 1 = x.num * (1 * x.den)
        ring
    obtain ⟨n, m, hm, hn⟩ := hf
    refine ⟨c * m, fun i => Fin.cases (c * n) (fun i => m * w i) i, fun e => ?_, fun i => ?_⟩
    · rcases Int.mul_eq_zero.mp e with e | e
      · exact hc e
      · exact hm e
    · rw [base2.cast_mul]
      induction i using Fin.cases with
      | zero =>
        show _ = base2.cast (c * n)
        rw [base2.cast_mul]
        lin_comb (base2.cast c) hn
      | succ i =>
        show _ = base2.cast (m * w i)
        rw [base2.cast_mul]
        lin_comb (base2.cast m) (h i)

/-! ## one nonzero vector or value -/
theorem AtMost.mono {α : Type} {B B' : α → Prop} {m : Nat} (h : ∀ a, B a → B' a) (hB : AtMost B' m) : AtMost B m :=
  fun l hl hb => hB l hl fun a ha => h a (hb a ha)
theorem atMost_vec {p d : Nat} (hp : primeB p = true) {U : Nat → Vec Int d} (hU : ∀ t i, Dv p (U t i - npow (.ofNat t) i.val))
    {w : Vec Int d} (hw : w ≠ 0) : AtMost (fun t : Nat => t < p ∧ finSum (fun i => w i * U t i) = 0) (d - 1) := by
  intro l hl hb
  apply Nat.le_of_not_lt
  intro hlt
  have h1 : Reps p d 1 U fun _ _ => 1 := ⟨hU, fun t j => by
    have : j.val = 0 := Nat.lt_one_iff.mp j.isLt
    rw [this, Nat.mul_zero, npow, sub_self]
    exact Dv.zero p⟩
  refine hw (funext fun i => form_zero hp h1 hl (fun t ht => (hb t ht).1) ?_ (c := fun _ => w) (fun t ht => ?_) 0 i)
  · rw [Nat.one_mul]
    cases d with
    | zero => exact Nat.zero_le _
    | succ d => exact hlt
  · rw [form, finSum_succ, one_mul, (hb t ht).2]
    exact add_zero _
theorem atMost_val {p d : Nat} (hp : primeB p = true) {U : Nat → Vec Int d} (hU : ∀ t i, Dv p (U t i - npow (.ofNat t) i.val))
    {v : Vec Rational d} (hv : v ≠ 0) : AtMost (fun t : Nat => t < p ∧ base2.inner v (U t) = 0) (d - 1) := by
  obtain ⟨c, w, hc, hw⟩ := common_den v
  refine AtMost.mono (fun t ht => ⟨ht.1, ?_⟩) (atMost_vec hp hU (w := w) fun e => hv (funext fun i => ?_))
  · have := hw i
    rw [e, vzero_app, base2.cast_zero] at this
    exact (mul_eq_zero this).resolve_left (base2.cast_ne hc)
  · apply base2.cast_inj
    rw [base2.cast_finSum, base2.cast_zero, ← mul_zero (base2.cast c), ← ht.2, Semantics.inner, ← finSum_mul]
    congr; funext i
    rw [Semantics.castV, base2.cast_mul, ← hw, mul_assoc]

/-- **The moment curve modulo `p` separates** (`p` prime, at least `(N - 1)(d² - 1) + d`), for any representatives. -/
theorem residues_separating {p d N : Nat} (hp : primeB p = true) (hle : points d N ≤ p) {U Rational' : Nat → Vec Int d}
    (h : Reps p d d U Rational') : base2.Separating ((down (points d N)).map fun t => (U t, Rational' t)) N := by
  intro Ds v hlen hDs hv
  obtain ⟨i₀, -⟩ := exists_ne_zero hv
  have hd : 0 < d := Nat.lt_of_le_of_lt (Nat.zero_le _) i₀.isLt
  have hle' : ∀ {a b : Nat}, a - 1 < b → a ≤ b := fun {a b} h => by
    cases a with
    | zero => exact Nat.zero_le _
    | succ a => exact h
  obtain ⟨t, ht, h1, h2⟩ := exists_good (fun (D : Mat Int d) (t : Nat) => t < p ∧ score D (U t) (Rational' t) = 0)
    (d * d - 1) Ds (down (points d N)) (down_distinct _) (fun D hD l hl hb => by
      apply Nat.le_of_not_lt
      intro hlt
      refine hDs D hD (funext fun i => funext fun j => ?_)
      exact form_zero hp h hl (fun t ht => (hb t ht).1) (hle' hlt) (c := fun j i => D i j)
        (fun t ht => by rw [← score_form]; exact (hb t ht).2) j i)
    (fun t => t < p ∧ base2.inner v (U t) = 0) (d - 1) (atMost_val hp h.u hv) (by
      rw [length_down, points]
      have h1 : Ds.length ≤ N - 1 := by
        cases N with
        | zero => exact absurd hlen (Nat.not_lt_zero _)
        | succ N => exact Nat.le_of_lt_succ hlen
      exact Nat.lt_of_le_of_lt (Nat.add_le_add_right (Nat.mul_le_mul_right (d * d - 1) h1) _)
        (Nat.add_lt_add_left (Nat.sub_lt hd Nat.one_pos) _))
  have htp := Nat.lt_of_lt_of_le (mem_down ht) hle
  exact ⟨_, List.mem_map.mpr ⟨t, ht, rfl⟩, fun D hD e => h1 D hD ⟨htp, e⟩, fun e => h2 ⟨htp, e⟩⟩

/-! ## a two-parameter list with smaller entries -/
/-- numbers of queries `q` and of directions `u` -/
def gridS (d N : Nat) : Nat := (N - 1) * (d - 1) + 1
def gridT (d N : Nat) : Nat := (N - 1) * (d - 1) + d
/-- **The product of two moment curves modulo `p` separates** (`p` prime, at least `(N - 1)(d - 1) + d`). -/
theorem grid_separating {p d N : Nat} (hp : primeB p = true) (hle : gridT d N ≤ p) {U : Nat → Vec Int d}
    (hU : ∀ t i, Dv p (U t i - npow (.ofNat t) i.val)) :
    base2.Separating ((down (gridS d N)).flatMap fun s => (down (gridT d N)).map fun t => (U t, U s)) N := by
  intro Ds v hlen hDs hv
  obtain ⟨i₀, -⟩ := exists_ne_zero hv
  have hd : 0 < d := Nat.lt_of_le_of_lt (Nat.zero_le _) i₀.isLt
  have hN : Ds.length ≤ N - 1 := by
    cases N with
    | zero => exact absurd hlen (Nat.not_lt_zero _)
    | succ N => exact Nat.le_of_lt_succ hlen
  obtain ⟨s, hs, h1, -⟩ := exists_good (fun (D : Mat Int d) (s : Nat) => s < p ∧ mulVec D (U s) = 0) (d - 1) Ds
    (down (gridS d N)) (down_distinct _) (fun D hD => by
      obtain ⟨i, hi⟩ := exists_ne_zero (hDs D hD)
      exact AtMost.mono (fun s hs => ⟨hs.1, congrFun hs.2 i⟩) (atMost_vec hp hU (w := D i) hi))
    (fun _ => False) 0 (fun l _ h => by
      cases l with
      | nil => exact Nat.le_refl 0
      | cons a l => exact (h a List.mem_cons_self).elim) (by
      rw [length_down, gridS]
      exact Nat.lt_succ_of_le (Nat.mul_le_mul_right _ hN))
  have hsp : s < p := Nat.lt_of_lt_of_le (mem_down hs) (Nat.le_trans (Nat.add_le_add_left hd _) hle)
  obtain ⟨t, ht, h2, h3⟩ := exists_good (fun (D : Mat Int d) (t : Nat) => t < p ∧ score D (U t) (U s) = 0) (d - 1) Ds
    (down (gridT d N)) (down_distinct _) (fun D hD => by
      refine AtMost.mono (fun t ht => ⟨ht.1, ?_⟩) (atMost_vec hp hU (w := mulVec D (U s)) fun e => h1 D hD ⟨hsp, e⟩)
      rw [← ht.2, score]
      congr; funext i
      exact mul_comm _ _)
    (fun t => t < p ∧ base2.inner v (U t) = 0) (d - 1) (atMost_val hp hU hv) (by
      rw [length_down, gridT]
      exact Nat.lt_of_le_of_lt (Nat.add_le_add_right (Nat.mul_le_mul_right _ hN) _)
        (Nat.add_lt_add_left (Nat.sub_lt hd Nat.one_pos) _))
  have htp := Nat.lt_of_lt_of_le (mem_down ht) hle
  exact ⟨(U t, U s), List.mem_flatMap.mpr ⟨s, hs, List.mem_map.mpr ⟨t, ht, rfl⟩⟩, fun D hD e => h2 D hD ⟨htp, e⟩, fun e => h3 ⟨htp, e⟩⟩
example : primeB 29 = true := by decide +kernel
example : primeB 127 = true := by decide +kernel

end AttentionQueries
