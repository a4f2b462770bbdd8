import AttentionQueries.Algebra.Matrix

/-! # Roots of polynomials modulo a prime ideal, and counting good points

A polynomial is the list of its coefficients, lowest first. With as many distinct roots as coefficients all coefficients
vanish; this is stated modulo a prime ideal, so that it serves integral domains, fields and the integers modulo a prime.

## Main definitions

* `npow a n`, `peval t cs`: powers, and the value of a polynomial at `t`.
* `Prime I`: the predicate `I` has the closure properties of a prime ideal.
* `toL`, `flat`: the entries of a vector and of a family of vectors as lists.
* `AtMost B m`: at most `m` distinct elements satisfy `B`.

## Main statements

* `peval_roots`: a polynomial with as many distinct roots as coefficients is zero.
* `moment_score`: the score of a matrix on the moment curve is a polynomial with the entries as coefficients.
* `exists_good`: a list longer than the number of bad elements contains a good one.
-/

namespace AttentionQueries
open CommRing

section
variable {R : Type} [CommRing R]

/-- The power `a ^ n`. -/
def npow (a : R) : Nat → R
  | 0 => 1
  | n + 1 => a * npow a n

/-- `a ^ (m + n) = a ^ m * a ^ n`. -/
theorem npow_add (a : R) (m n : Nat) : npow a (m + n) = npow a m * npow a n := by
  induction m with
  | zero => rw [Nat.zero_add, npow, one_mul]
  | succ m ih => rw [Nat.succ_add, npow, npow, ih, mul_assoc]

/-- The properties of a prime ideal that are used (that it is proper is not among them). -/
structure Prime (I : R → Prop) : Prop where
  /-- It contains zero. -/
  zero : I 0
  /-- It contains sums. -/
  add : ∀ {a b}, I a → I b → I (a + b)
  /-- It contains multiples. -/
  mul : ∀ c {a}, I a → I (c * a)
  /-- If it contains a product, it contains a factor. -/
  prime : ∀ {a b}, I (a * b) → I a ∨ I b

private theorem Prime.sub {I : R → Prop} (h : Prime I) {a b : R} (ha : I a) (hb : I b) : I (a - b) := by
  have := h.add ha (h.mul (-1) hb)
  rwa [show a + -1 * b = a - b by ring] at this

/-- The value `∑ cₖ tᵏ` of the polynomial with the coefficients `c₀, c₁, …`. -/
def peval (t : R) : List R → R
  | [] => 0
  | c :: cs => c + t * peval t cs

private theorem peval_append (t : R) (l m : List R) : peval t (l ++ m) = peval t l + npow t l.length * peval t m := by
  induction l with
  | nil => rw [List.nil_append, peval, List.length_nil, npow, zero_add, one_mul]
  | cons c l ih => rw [List.cons_append, peval, ih, peval, List.length_cons, npow]; ring

/-- The quotient of `c :: cs` by `t - r` (it does not depend on `c`). -/
private def quot (r : R) : List R → List R
  | [] => []
  | c :: cs => peval r (c :: cs) :: quot r cs

private theorem length_quot (r : R) (cs : List R) : (quot r cs).length = cs.length := by
  induction cs with
  | nil => rfl
  | cons c cs ih => rw [quot, List.length_cons, ih, List.length_cons]

private theorem peval_quot (t r : R) : ∀ (c : R) (cs : List R),
    peval t (c :: cs) - peval r (c :: cs) = (t - r) * peval t (quot r cs)
  | c, [] => by simp only [peval, quot]; ring
  | c, c' :: cs => by
    have ih := peval_quot t r c' cs
    show c + t * peval t (c' :: cs) - (c + r * peval r (c' :: cs)) =
      (t - r) * (peval r (c' :: cs) + t * peval t (quot r cs))
    lin_comb (t) ih

private theorem quot_mem {I : R → Prop} (hI : Prime I) (r : R) : ∀ {cs : List R}, (∀ x ∈ quot r cs, I x) →
    ∀ c ∈ cs, I c
  | [], _, _, hc => nomatch hc
  | c' :: cs, h, c, hc => by
    have ih := quot_mem hI r fun x hx => h x (List.mem_cons_of_mem _ hx)
    rcases List.mem_cons.mp hc with rfl | hc
    · cases cs with
      | nil =>
        have := h _ List.mem_cons_self
        rwa [peval, peval, mul_zero, add_zero] at this
      | cons c₂ cs =>
        have h1 := h _ List.mem_cons_self
        have h2 := h (peval r (c₂ :: cs)) (List.mem_cons_of_mem _ List.mem_cons_self)
        have := hI.sub h1 (hI.mul r h2)
        rw [peval] at this
        rwa [show c + r * peval r (c₂ :: cs) - r * peval r (c₂ :: cs) = c by ring] at this
    · exact ih c hc

private theorem peval_mem {I : R → Prop} (hI : Prime I) (t : R) : ∀ {cs : List R}, (∀ c ∈ cs, I c) → I (peval t cs)
  | [], _ => hI.zero
  | c :: _, h =>
    hI.add (h c List.mem_cons_self) (hI.mul t (peval_mem hI t fun x hx => h x (List.mem_cons_of_mem c hx)))

/-- **Roots.** A polynomial with as many distinct roots as coefficients is zero, modulo a prime ideal. -/
theorem peval_roots {I : R → Prop} (hI : Prime I) : ∀ (ts cs : List R), cs.length ≤ ts.length →
    ts.Pairwise (fun a b => ¬ I (a - b)) → (∀ t ∈ ts, I (peval t cs)) → ∀ c ∈ cs, I c
  | _, [], _, _, _, _, hc => nomatch hc
  | [], _ :: _, hl, _, _, _, _ => absurd hl (Nat.not_succ_le_zero _)
  | r :: ts, c' :: cs, hl, hd, h, c, hc => by
    rw [List.pairwise_cons] at hd
    have hq : ∀ x ∈ quot r cs, I x := by
      refine peval_roots hI ts _ (by rw [length_quot]; exact Nat.le_of_succ_le_succ hl) hd.2 fun t ht => ?_
      have h1 := hI.sub (h t (List.mem_cons_of_mem r ht)) (h r List.mem_cons_self)
      rw [peval_quot] at h1
      refine (hI.prime h1).resolve_left fun e => hd.1 t ht ?_
      have := hI.mul (-1) e
      rwa [show -1 * (t - r) = r - t by ring] at this
    have hcs := quot_mem hI r hq
    rcases List.mem_cons.mp hc with rfl | hc
    · have := hI.sub (h r List.mem_cons_self) (hI.mul r (peval_mem hI r hcs))
      rw [peval] at this
      rwa [show c + r * peval r cs - r * peval r cs = c by ring] at this
    · exact hcs c hc

/-! ## Vectors and matrices as lists of coefficients -/

/-- The entries of a vector. -/
def toL : {d : Nat} → Vec R d → List R
  | 0, _ => []
  | _ + 1, v => v 0 :: toL fun i => v i.succ

omit [CommRing R] in
/-- A vector of length `d` has `d` entries. -/
theorem length_toL : ∀ {d : Nat} (v : Vec R d), (toL v).length = d
  | 0, _ => rfl
  | _ + 1, v => congrArg Nat.succ (length_toL fun i => v i.succ)

omit [CommRing R] in
/-- Every entry is among the entries. -/
theorem mem_toL : ∀ {d : Nat} (v : Vec R d) (i : Fin d), v i ∈ toL v
  | 0, _, i => i.elim0
  | d + 1, v, i => by
    induction i using Fin.cases with
    | zero => exact List.mem_cons_self
    | succ i => exact List.mem_cons_of_mem _ (mem_toL (fun i => v i.succ) i)

/-- `∑ vᵢ tⁱ` is the polynomial with the entries of `v` as coefficients. -/
theorem finSum_npow (t : R) : ∀ {d : Nat} (v : Vec R d), finSum (fun i => v i * npow t i.val) = peval t (toL v)
  | 0, _ => rfl
  | d + 1, v => by
    rw [finSum_succ, toL, peval, ← finSum_npow t fun i => v i.succ, ← finSum_mul]
    congr 1
    · exact mul_one _
    · congr; funext i
      show v i.succ * (t * npow t i.val) = _
      ring

/-- The entries of a family of vectors, one vector after the other. -/
def flat {d : Nat} : {m : Nat} → (Fin m → Vec R d) → List R
  | 0, _ => []
  | _ + 1, c => toL (c 0) ++ flat fun j => c j.succ

omit [CommRing R] in
/-- A family of `m` vectors of length `d` has `m d` entries. -/
theorem length_flat {d : Nat} : ∀ {m : Nat} (c : Fin m → Vec R d), (flat c).length = m * d
  | 0, _ => (Nat.zero_mul d).symm
  | m + 1, c => by rw [flat, List.length_append, length_toL, length_flat, Nat.succ_mul, Nat.add_comm]

omit [CommRing R] in
/-- Every entry is among the entries. -/
theorem mem_flat {d : Nat} : ∀ {m : Nat} (c : Fin m → Vec R d) (j : Fin m) (i : Fin d), c j i ∈ flat c
  | 0, _, j, _ => j.elim0
  | m + 1, c, j, i => by
    refine List.mem_append.mpr ?_
    induction j using Fin.cases with
    | zero => exact .inl (mem_toL _ i)
    | succ j => exact .inr (mem_flat (fun j => c j.succ) j i)

/-- `∑ⱼ t^(d j) ∑ᵢ cⱼᵢ tⁱ` is the polynomial with the entries `cⱼᵢ` as coefficients. -/
theorem finSum_flat (t : R) {d : Nat} : ∀ {m : Nat} (c : Fin m → Vec R d),
    finSum (fun j => npow t (d * j.val) * finSum fun i => c j i * npow t i.val) = peval t (flat c)
  | 0, _ => rfl
  | m + 1, c => by
    rw [finSum_succ, flat, peval_append, length_toL, ← finSum_npow, ← finSum_flat t fun j => c j.succ,
      ← finSum_mul (npow t d)]
    congr 1
    · show npow t (d * 0) * _ = _
      rw [Nat.mul_zero, npow, one_mul]
    · congr; funext j
      show npow t (d * (j.val + 1)) * _ = _
      rw [Nat.mul_succ, npow_add]; ring

/-- The score `∑ᵢⱼ tⁱ Dᵢⱼ t^(d j)` on the moment curve is the polynomial with the entries of `D` as coefficients. -/
theorem moment_score {d : Nat} (D : Mat R d) (t : R) :
    score D (fun i => npow t i.val) (fun j => npow t (d * j.val)) = peval t (flat fun j i => D i j) := by
  rw [← finSum_flat, score]
  rw [show (fun i : Fin d => npow t i.val * mulVec D (fun j => npow t (d * j.val)) i) =
    fun i => finSum fun j => npow t i.val * (D i j * npow t (d * j.val)) from
      funext fun i => (finSum_mul _ _).symm, finSum_comm]
  congr; funext j
  rw [← finSum_mul]
  congr; funext i
  ring
end

/-! ## Counting -/
section counting
variable {α : Type}

/-- At most `m` distinct elements satisfy `B`. -/
def AtMost (B : α → Prop) (m : Nat) : Prop :=
  ∀ l : List α, l.Pairwise (fun a b => a ≠ b) → (∀ a ∈ l, B a) → l.length ≤ m

private theorem split_list (B : α → Prop) : ∀ {l : List α}, l.Pairwise (fun a b => a ≠ b) → ∃ l₁ l₂ : List α,
    l.length = l₁.length + l₂.length ∧ l₁.Pairwise (fun a b => a ≠ b) ∧ l₂.Pairwise (fun a b => a ≠ b) ∧
    (∀ a ∈ l₁, a ∈ l ∧ B a) ∧ ∀ a ∈ l₂, a ∈ l ∧ ¬ B a
  | [], _ => ⟨[], [], rfl, .nil, .nil, (fun _ h => nomatch h), (fun _ h => nomatch h)⟩
  | a :: l, h => by
    rw [List.pairwise_cons] at h
    obtain ⟨l₁, l₂, hl, h1, h2, m1, m2⟩ := split_list B h.2
    by_cases ha : B a
    · refine ⟨a :: l₁, l₂, by rw [List.length_cons, hl, List.length_cons, Nat.succ_add],
        List.pairwise_cons.mpr ⟨fun b hb => h.1 b (m1 b hb).1, h1⟩, h2, fun b hb => ?_,
        fun b hb => ⟨List.mem_cons_of_mem a (m2 b hb).1, (m2 b hb).2⟩⟩
      rcases List.mem_cons.mp hb with rfl | hb
      · exact ⟨List.mem_cons_self, ha⟩
      · exact ⟨List.mem_cons_of_mem a (m1 b hb).1, (m1 b hb).2⟩
    · refine ⟨l₁, a :: l₂, by rw [List.length_cons, hl, List.length_cons]; rfl, h1,
        List.pairwise_cons.mpr ⟨fun b hb => h.1 b (m2 b hb).1, h2⟩,
        fun b hb => ⟨List.mem_cons_of_mem a (m1 b hb).1, (m1 b hb).2⟩, fun b hb => ?_⟩
      rcases List.mem_cons.mp hb with rfl | hb
      · exact ⟨List.mem_cons_self, ha⟩
      · exact ⟨List.mem_cons_of_mem a (m2 b hb).1, (m2 b hb).2⟩

/-- **A good point.** If each property `bad i`, for `i` in a list, holds for at most `m` elements and `B` for at most
`k`, then a list of more than `m` times the number of properties plus `k` distinct elements has a member with none of
them. -/
theorem exists_good {ι : Type} (bad : ι → α → Prop) (m : Nat) : ∀ (l : List ι) (ts : List α),
    ts.Pairwise (fun a b => a ≠ b) → (∀ i ∈ l, AtMost (bad i) m) → ∀ (B : α → Prop) (k : Nat), AtMost B k →
    l.length * m + k < ts.length → ∃ t ∈ ts, (∀ i ∈ l, ¬ bad i t) ∧ ¬ B t
  | [], ts, hd, _, B, k, hB, hlen => by
    obtain ⟨l₁, l₂, hl, h1, -, m1, m2⟩ := split_list B hd
    have := hB l₁ h1 fun a ha => (m1 a ha).2
    cases l₂ with
    | nil =>
      rw [List.length_nil, Nat.zero_mul, Nat.zero_add, hl] at hlen
      exact absurd (Nat.lt_of_lt_of_le hlen this) (Nat.lt_irrefl _)
    | cons t l₂ => exact ⟨t, (m2 t List.mem_cons_self).1, (fun _ h => nomatch h), (m2 t List.mem_cons_self).2⟩
  | i :: l, ts, hd, hbad, B, k, hB, hlen => by
    obtain ⟨l₁, l₂, hl, h1, h2, m1, m2⟩ := split_list (bad i) hd
    have hle := hbad i List.mem_cons_self l₁ h1 fun a ha => (m1 a ha).2
    obtain ⟨t, ht, h3, h4⟩ := exists_good bad m l l₂ h2 (fun j hj => hbad j (List.mem_cons_of_mem i hj)) B k hB (by
      rw [List.length_cons, Nat.succ_mul, hl, Nat.add_right_comm] at hlen
      apply Nat.lt_of_add_lt_add_left (n := l₁.length)
      refine Nat.lt_of_le_of_lt ?_ hlen
      rw [Nat.add_comm]
      exact Nat.add_le_add_left hle _)
    refine ⟨t, (m2 t ht).1, fun j hj => ?_, h4⟩
    rcases List.mem_cons.mp hj with rfl | hj
    · exact (m2 t ht).2
    · exact h3 j hj
end counting

end AttentionQueries
