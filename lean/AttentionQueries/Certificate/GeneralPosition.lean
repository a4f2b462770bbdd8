import AttentionQueries.Base2.Instance
import AttentionQueries.Certificate.Data
import AttentionQueries.MultiHead.ClassTest

/-! # Small integer vectors in general position

The moment curve `t ↦ (1, t, t², …)` is in general position: no nonzero linear form vanishes at `d` of its points. Its
entries are large. Modulo a prime `p` it is still in general position at the points `t < p`, and entries can be taken
between `-p / 2` and `p / 2`; so the scores, and with them the answers of base-2 models, stay small. Products of two
such curves separate score matrices.

## Main definitions

* `isPrime p`: the check that `p` is a prime number.
* `residues p d t`: the residues of `1, t, t², …` of least absolute value.
* `tokens d N`, `directions d N`: how many query tokens and directions separate `N` score matrices.

## Main statements

* `residues_separating`: the pairs of residue vectors separate `N` score matrices.

## References

Vandermonde's determinant modulo a prime; the use for models with several heads is ours. -/

namespace AttentionQueries
open CommRing OrderedField

namespace Certificate

/-! ## Divisibility by a prime -/

/-- The number `p` divides the integer `x`. -/
private def Divides (p : Nat) (x : Int) : Prop := ∃ k, x = .ofNat p * k

private theorem Divides.sub {p : Nat} {a b : Int} (ha : Divides p a) (hb : Divides p b) : Divides p (a - b) := by
  obtain ⟨k, rfl⟩ := ha
  obtain ⟨l, rfl⟩ := hb
  exact ⟨k - l, by ring⟩

private theorem Divides.mul {p : Nat} (c : Int) {a : Int} (ha : Divides p a) : Divides p (c * a) := by
  obtain ⟨k, rfl⟩ := ha
  exact ⟨c * k, by ring⟩

private theorem Divides.add {p : Nat} {a b : Int} (ha : Divides p a) (hb : Divides p b) : Divides p (a + b) := by
  obtain ⟨k, rfl⟩ := ha
  obtain ⟨l, rfl⟩ := hb
  exact ⟨k + l, by ring⟩

private theorem Divides.zero (p : Nat) : Divides p 0 := ⟨0, (mul_zero _).symm⟩

private theorem Divides.sub_self (p : Nat) (a : Int) : Divides p (a - a) := by
  rw [CommRing.sub_self]
  exact Divides.zero p

/-- Some number from `1` to `n` is inverse to `a` modulo `p`. -/
def hasInverse (p a : Nat) : Nat → Bool
  | 0 => false
  | b + 1 => Nat.beq (a * (b + 1) % p) 1 || hasInverse p a b

/-- All numbers from `1` to `n` have inverses modulo `p`. -/
def haveInverses (p : Nat) : Nat → Bool
  | 0 => true
  | a + 1 => hasInverse p (a + 1) p && haveInverses p a

/-- The number is at least two, and all smaller positive numbers have inverses modulo it. -/
def isPrime (p : Nat) : Bool := Nat.ble 2 p && haveInverses p (p - 1)

private theorem of_hasInverse {p a : Nat} : ∀ {n : Nat}, hasInverse p a n = true → ∃ b, a * b % p = 1
  | b + 1, h => by
    rw [hasInverse] at h
    cases e : Nat.beq (a * (b + 1) % p) 1
    · rw [e] at h
      exact of_hasInverse (n := b) h
    · exact ⟨b + 1, Nat.eq_of_beq_eq_true e⟩

private theorem of_haveInverses {p : Nat} : ∀ {n : Nat}, haveInverses p n = true → ∀ a, a ≠ 0 → a ≤ n →
    ∃ b, a * b % p = 1
  | 0, _, a, h0, ha => absurd (Nat.le_zero_eq a ▸ ha : a = 0) h0
  | n + 1, h, a, h0, ha => by
    obtain ⟨h1, h2⟩ := and_iff.mp h
    rcases Nat.lt_or_eq_of_le ha with hlt | rfl
    · exact of_haveInverses h2 a h0 (Nat.le_of_lt_succ hlt)
    · exact of_hasInverse h1

private theorem two_le_of_isPrime {p : Nat} (h : isPrime p = true) : 2 ≤ p := ble_iff.mp (and_iff.mp h).1

private theorem divides_or_natCast {p : Nat} (h : isPrime p = true) (n : Nat) {b : Int}
    (hab : Divides p (.ofNat n * b)) : Divides p (.ofNat n) ∨ Divides p b := by
  have h2 := two_le_of_isPrime h
  have hinv := of_haveInverses (and_iff.mp h).2
  have hn := Nat.div_add_mod n p
  have hlt := Nat.mod_lt n (Nat.lt_of_lt_of_le (Nat.succ_pos 1) h2)
  have hz : (Int.ofNat n) = .ofNat p * .ofNat (n / p) + .ofNat (n % p) := congrArg Int.ofNat hn.symm
  by_cases h0 : n % p = 0
  · left
    refine ⟨.ofNat (n / p), ?_⟩
    rw [hz, h0]
    exact add_zero _
  · right
    obtain ⟨c, hc⟩ := hinv (n % p) h0 (Nat.le_sub_one_of_lt hlt)
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

private theorem prime_divides {p : Nat} (h : isPrime p = true) : Prime (Divides p) where
  zero := Divides.zero p
  add := Divides.add
  mul := Divides.mul
  prime := fun {a b} hab => by
    cases a with
    | ofNat n => exact divides_or_natCast h n hab
    | negSucc n =>
      have hn : Int.negSucc n = -1 * .ofNat (n + 1) := by
        rw [show Int.negSucc n = -(Int.ofNat (n + 1)) from rfl]
        ring
      rw [hn] at hab ⊢
      have : Divides p (.ofNat (n + 1) * b) := by
        have := hab.mul (-1)
        rwa [show -1 * (-1 * Int.ofNat (n + 1) * b) = Int.ofNat (n + 1) * b by ring] at this
      exact (divides_or_natCast h (n + 1) this).imp (Divides.mul (-1)) id

private theorem eq_of_divides_sub {p a b : Nat} (ha : a < p) (hb : b < p) (h : Divides p (.ofNat a - .ofNat b)) :
    a = b := by
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

/-! ## Descent -/

private theorem natAbs_negOfNat (n : Nat) : (Int.negOfNat n).natAbs = n := by cases n <;> rfl

private theorem natAbs_mul : ∀ a b : Int, (a * b).natAbs = a.natAbs * b.natAbs
  | .ofNat _, .ofNat _ => rfl
  | .ofNat _, .negSucc _ => natAbs_negOfNat _
  | .negSucc _, .ofNat _ => natAbs_negOfNat _
  | .negSucc _, .negSucc _ => rfl

private theorem eq_zero_of_natAbs : ∀ {a : Int}, a.natAbs = 0 → a = 0
  | .ofNat _, h => congrArg Int.ofNat h
  | .negSucc _, h => nomatch h

private theorem lt_natAbs_npow {p : Nat} (hp : 2 ≤ p) : ∀ k : Nat, k < (npow (Int.ofNat p) k).natAbs
  | 0 => Nat.succ_pos 0
  | k + 1 => by
    rw [npow, natAbs_mul]
    show k + 1 < p * _
    have ih := lt_natAbs_npow hp k
    refine Nat.lt_of_lt_of_le ?_ (Nat.mul_le_mul hp ih)
    rw [Nat.succ_mul, Nat.one_mul]
    exact Nat.lt_add_of_pos_left (Nat.succ_pos k)

/-- Only zero is divisible by all powers of a number. -/
private theorem eq_zero_of_powers {p : Nat} (hp : 2 ≤ p) {x : Int} (h : ∀ k, ∃ m, x = npow (Int.ofNat p) k * m) :
    x = 0 := by
  obtain ⟨m, hm⟩ := h x.natAbs
  have h1 := congrArg Int.natAbs hm
  rw [natAbs_mul] at h1
  have h2 := lt_natAbs_npow hp x.natAbs
  cases hz : m.natAbs with
  | zero =>
    rw [hz, Nat.mul_zero] at h1
    exact eq_zero_of_natAbs h1
  | succ z =>
    rw [hz] at h1
    have h3 := Nat.le_mul_of_pos_right ((npow (Int.ofNat p) x.natAbs).natAbs) (Nat.succ_pos z)
    rw [← h1] at h3
    exact absurd (Nat.lt_of_lt_of_le h2 h3) (Nat.lt_irrefl _)

/-- The value of a linear form on the residues is that on the moment curve, modulo `p`. -/
private theorem divides_finSum_sub {p : Nat} : ∀ {n : Nat} {f g : Vec Int n}, (∀ i, Divides p (f i - g i)) →
    Divides p (finSum f - finSum g)
  | 0, _, _, _ => ⟨0, by show (0 : Int) - 0 = _ * 0; ring⟩
  | n + 1, f, g, h => by
    have := (h 0).add (divides_finSum_sub fun i => h i.succ)
    rw [finSum_succ, finSum_succ]
    generalize finSum (fun i => f i.succ) = x at *
    generalize finSum (fun i => g i.succ) = y at *
    rwa [show f 0 - g 0 + (x - y) = f 0 + x - (g 0 + y) by ring] at this

/-- The entries are congruent to those of the moment curve. -/
private def Represents (p d : Nat) (U : Nat → Vec Int d) : Prop :=
  ∀ t i, Divides p (U t i - npow (.ofNat t) i.val)

private theorem coefficients_powers {p d : Nat} (hp : isPrime p = true) {U : Nat → Vec Int d} (hU : Represents p d U)
    {l : List Nat} (hl : l.Pairwise fun a b => a ≠ b) (hlt : ∀ t ∈ l, t < p) (hlen : d ≤ l.length) :
    ∀ (k : Nat) (c : Vec Int d), (∀ t ∈ l, (finSum fun i => c i * U t i) = 0) → ∀ i,
      ∃ x, c i = npow (.ofNat p) k * x
  | 0, c, _, i => ⟨c i, (one_mul _).symm⟩
  | k + 1, c, hc, i => by
    have hroots := peval_roots (prime_divides hp) (l.map Int.ofNat) (toL c)
      (by rw [length_toL, List.length_map]; exact hlen)
      (List.pairwise_map.mpr (pairwise_of_mem hl fun a ha b hb hne e =>
        hne (eq_of_divides_sub (hlt a ha) (hlt b hb) e))) (fun t ht => by
        obtain ⟨n, hn, rfl⟩ := List.mem_map.mp ht
        have h1 := divides_finSum_sub (f := fun i => c i * U n i)
            (g := fun i => c i * npow (.ofNat n) i.val) fun i => by
          have := (hU n i).mul (c i)
          rwa [show c i * (U n i - npow (.ofNat n) i.val) = c i * U n i - c i * npow (.ofNat n) i.val by ring] at this
        have := h1.mul (-1)
        rw [hc n hn, finSum_npow] at this
        rwa [show -1 * (0 - peval (Int.ofNat n) (toL c)) = peval (Int.ofNat n) (toL c) by ring] at this)
    obtain ⟨c', hc'⟩ := Classical.axiomOfChoice fun i => hroots _ (mem_toL c i)
    obtain ⟨x, hx⟩ := coefficients_powers hp hU hl hlt hlen k c' (fun t ht => by
      have := hc t ht
      rw [show (fun i => c i * U t i) = fun i => .ofNat p * (c' i * U t i) from
        funext fun i => by rw [hc' i, mul_assoc], finSum_mul] at this
      refine (Int.mul_eq_zero.mp this).resolve_left fun h0 => ?_
      have h2 := two_le_of_isPrime hp
      rw [show p = 0 from Int.ofNat.inj h0] at h2
      exact absurd h2 (Nat.not_succ_le_zero _)) i
    exact ⟨x, by rw [hc', hx, npow, mul_assoc]⟩

/-- **General position over the integers.** A nonzero linear form vanishes at no more than `d - 1` points. -/
private theorem atMost_form {p d : Nat} (hp : isPrime p = true) {U : Nat → Vec Int d} (hU : Represents p d U)
    {w : Vec Int d} (hw : w ≠ 0) : AtMost (fun t : Nat => t < p ∧ (finSum fun i => w i * U t i) = 0) (d - 1) := by
  intro l hl hb
  apply Nat.le_of_not_lt
  intro hlt
  have hlen : d ≤ l.length := by
    cases d with
    | zero => exact Nat.zero_le _
    | succ d => exact hlt
  exact hw (funext fun i => eq_zero_of_powers (two_le_of_isPrime hp) fun k =>
    coefficients_powers hp hU hl (fun t ht => (hb t ht).1) hlen k w (fun t ht => (hb t ht).2) i)

/-! ## Rational coefficients -/

private theorem common_denominator : ∀ {d : Nat} (v : Vec Rational d),
    ∃ (c : Int) (w : Vec Int d), c ≠ 0 ∧ ∀ i, base2.cast c * v i = base2.cast (w i)
  | 0, _ => ⟨1, fun i => i.elim0, by decide, fun i => i.elim0⟩
  | d + 1, v => by
    obtain ⟨c, w, hc, h⟩ := common_denominator fun i => v i.succ
    obtain ⟨n, m, hm, hn⟩ := base2_eq_div (v 0)
    have hm : Int.ofNat m ≠ 0 := fun e => Nat.ne_of_gt hm (Int.ofNat.inj e)
    have hn : base2.cast (.ofNat m) * v 0 = base2.cast n := by
      rw [hn, mul_comm]
      exact div_mul_cancel _ (base2.cast_ne hm)
    refine ⟨c * .ofNat m, fun i => Fin.cases (c * n) (fun i => .ofNat m * w i) i, fun e => ?_, fun i => ?_⟩
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
        show _ = base2.cast (.ofNat m * w i)
        rw [base2.cast_mul]
        lin_comb (base2.cast (.ofNat m)) (h i)

private theorem AtMost.mono {α : Type} {B B' : α → Prop} {m : Nat} (h : ∀ a, B a → B' a) (hB : AtMost B' m) :
    AtMost B m :=
  fun l hl hb => hB l hl fun a ha => h a (hb a ha)

/-- **General position over the rational numbers.** -/
private theorem atMost_inner {p d : Nat} (hp : isPrime p = true) {U : Nat → Vec Int d} (hU : Represents p d U)
    {v : Vec Rational d} (hv : v ≠ 0) : AtMost (fun t : Nat => t < p ∧ base2.inner v (U t) = 0) (d - 1) := by
  obtain ⟨c, w, hc, hw⟩ := common_denominator v
  refine AtMost.mono (fun t ht => ⟨ht.1, ?_⟩) (atMost_form hp hU (w := w) fun e => hv (funext fun i => ?_))
  · have := hw i
    rw [e, vzero_app, base2.cast_zero] at this
    exact (mul_eq_zero this).resolve_left (base2.cast_ne hc)
  · apply base2.cast_inj
    rw [base2.cast_finSum, base2.cast_zero, ← mul_zero (base2.cast c), ← ht.2, Semantics.inner, ← finSum_mul]
    congr; funext i
    rw [base2.cast_mul, ← hw, mul_assoc]

/-! ## The residues -/

/-- The residue of least absolute value of a number below `p`. -/
def leastResidue (p r : Nat) : Int := cond (Nat.ble (2 * r) p) (.ofNat r) (.ofNat r - .ofNat p)

/-- The residues of `x, x b, x b², …` of least absolute value. -/
def residuesFrom (p b : Nat) : Nat → Nat → List Int
  | 0, _ => []
  | d + 1, x => leastResidue p x :: residuesFrom p b d (x * b % p)

/-- The residues of `1, t, t², …, t^(d - 1)` of least absolute value. -/
def residues (p d t : Nat) : List Int := residuesFrom p t d 1

private theorem divides_leastResidue (p r : Nat) : Divides p (leastResidue p r - .ofNat r) := by
  unfold leastResidue
  cases Nat.ble (2 * r) p
  · exact ⟨-1, by show (Int.ofNat r - Int.ofNat p) - Int.ofNat r = _; ring⟩
  · exact Divides.sub_self p _

private theorem divides_mod (p n : Nat) : Divides p (.ofNat (n % p) - .ofNat n) := by
  have h : Int.ofNat p * .ofNat (n / p) + .ofNat (n % p) = .ofNat n := congrArg Int.ofNat (Nat.div_add_mod n p)
  exact ⟨-.ofNat (n / p), by lin_comb (1) h⟩

private theorem divides_residuesFrom {p b : Nat} : ∀ {d x : Nat} {ξ : Int}, Divides p (.ofNat x - ξ) → ∀ i, i < d →
    Divides p (nth 0 (residuesFrom p b d x) i - ξ * npow (.ofNat b) i)
  | d + 1, x, ξ, hx, 0, _ => by
    have := (divides_leastResidue p x).add hx
    show Divides p (leastResidue p x - ξ * 1)
    rwa [show leastResidue p x - Int.ofNat x + (Int.ofNat x - ξ) = leastResidue p x - ξ * 1 by ring] at this
  | d + 1, x, ξ, hx, i + 1, hi => by
    have h1 : Divides p (.ofNat (x * b % p) - ξ * .ofNat b) := by
      have h2 := (divides_mod p (x * b)).add (hx.mul (.ofNat b))
      rwa [show Int.ofNat (x * b) = .ofNat x * .ofNat b from rfl,
        show Int.ofNat (x * b % p) - Int.ofNat x * Int.ofNat b + Int.ofNat b * (Int.ofNat x - ξ) =
          Int.ofNat (x * b % p) - ξ * .ofNat b by ring] at h2
    have := divides_residuesFrom (b := b) (d := d) h1 i (Nat.lt_of_succ_lt_succ hi)
    show Divides p (nth 0 (residuesFrom p b d (x * b % p)) i - ξ * (.ofNat b * npow (.ofNat b) i))
    rwa [mul_assoc] at this

private theorem represents_residues (p d : Nat) : Represents p d fun t => vector d (residues p d t) := fun t i => by
  have := divides_residuesFrom (p := p) (b := t) (Divides.sub_self p (.ofNat 1)) i.val i.isLt
  rwa [show Int.ofNat 1 = 1 from rfl, one_mul] at this

/-! ## Pairs -/

/-- The number of query tokens that are needed for `N` score matrices. -/
def tokens (d N : Nat) : Nat := (N - 1) * (d - 1) + 1

/-- The number of directions that are needed for `N` score matrices. -/
def directions (d N : Nat) : Nat := (N - 1) * (d - 1) + d

/-- The pairs of a direction and a query token. -/
def residuePairs (d N p : Nat) : List (Vec Int d × Vec Int d) :=
  (down (tokens d N)).flatMap fun s => (down (directions d N)).map fun t =>
    (vector d (residues p d t), vector d (residues p d s))

/-- **Separation.** For a prime `p ≥ (N - 1) (d - 1) + d` the pairs of residue vectors separate `N` score matrices. -/
theorem residues_separating {p d N : Nat} (hp : isPrime p = true) (hle : directions d N ≤ p) :
    base2.Separating (residuePairs d N p) N := by
  have hU := represents_residues p d
  generalize hUeq : (fun t => vector d (residues p d t)) = U at hU
  have happ : ∀ t, vector d (residues p d t) = U t := fun t => congrFun hUeq t
  intro Ds v hlen hDs hv
  obtain ⟨i₀, -⟩ := exists_ne_zero hv
  have hd : 0 < d := Nat.lt_of_le_of_lt (Nat.zero_le _) i₀.isLt
  have hN := Nat.mul_le_mul_right (d - 1) (Nat.le_sub_one_of_lt hlen)
  -- a query token on which no difference of matrices vanishes
  obtain ⟨s, hs, h1, -⟩ := exists_good (fun (D : Mat Int d) (s : Nat) => s < p ∧ mulVec D (U s) = 0) (d - 1) Ds
    (down (tokens d N)) (down_distinct _) (fun D hD => by
      obtain ⟨i, hi⟩ := exists_ne_zero (hDs D hD)
      exact AtMost.mono (fun s hs => ⟨hs.1, congrFun hs.2 i⟩) (atMost_form hp hU (w := D i) hi))
    (fun _ => False) 0 (fun l _ h => by
      cases l with
      | nil => exact Nat.le_refl 0
      | cons a l => exact (h a List.mem_cons_self).elim) (by
      rw [length_down, tokens]
      exact Nat.lt_succ_of_le hN)
  have hsp : s < p := Nat.lt_of_lt_of_le (mem_down hs) (Nat.le_trans (Nat.add_le_add_left hd _) hle)
  -- a direction along which no score and no value vanishes
  obtain ⟨t, ht, h2, h3⟩ := exists_good (fun (D : Mat Int d) (t : Nat) => t < p ∧ score D (U t) (U s) = 0) (d - 1) Ds
    (down (directions d N)) (down_distinct _) (fun D hD => by
      refine AtMost.mono (fun t ht => ⟨ht.1, ?_⟩) (atMost_form hp hU (w := mulVec D (U s)) fun e => h1 D hD ⟨hsp, e⟩)
      rw [← ht.2, score]
      congr; funext i
      exact mul_comm _ _)
    (fun t => t < p ∧ base2.inner v (U t) = 0) (d - 1) (atMost_inner hp hU hv) (by
      rw [length_down, directions]
      exact Nat.lt_of_le_of_lt (Nat.add_le_add_right hN _) (Nat.add_lt_add_left (Nat.sub_lt hd Nat.one_pos) _))
  have htp := Nat.lt_of_lt_of_le (mem_down ht) hle
  refine ⟨(U t, U s), List.mem_flatMap.mpr ⟨s, hs, List.mem_map.mpr ⟨t, ht, ?_⟩⟩, fun D hD e => h2 D hD ⟨htp, e⟩,
    fun e => h3 ⟨htp, e⟩⟩
  rw [happ, happ]

/-- Each pair is given by its two parameters. -/
theorem of_mem_residuePairs {d N p : Nat} {x : Vec Int d × Vec Int d} (hx : x ∈ residuePairs d N p) :
    ∃ s t, s < tokens d N ∧ t < directions d N ∧ x = (vector d (residues p d t), vector d (residues p d s)) := by
  obtain ⟨s, hs, hx⟩ := List.mem_flatMap.mp hx
  obtain ⟨t, ht, rfl⟩ := List.mem_map.mp hx
  exact ⟨s, t, mem_down hs, mem_down ht, rfl⟩

/-- The check accepts primes, and nothing else. -/
example : isPrime 29 = true ∧ isPrime 127 = true ∧ isPrime 1 = false ∧ isPrime 91 = false := by decide +kernel

end Certificate

end AttentionQueries
