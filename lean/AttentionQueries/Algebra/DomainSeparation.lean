import AttentionQueries.MultiHead.Separation

/-! # Algebra.DomainSeparation -/

namespace AttentionQueries
open CommRing OrderedField

variable {R : Type} [CommRing R] {d : Nat}
/-! ## separation over a domain with infinitely many naturals, without any field -/
section domain
variable (hdom : ∀ a b : R, a * b = 0 → a = 0 ∨ b = 0) (hnat : ∀ m n : Nat, (natCast m : R) = natCast n → m = n)
include hdom hnat

theorem domain_ev_ne {a b : R} (h : a ≠ 0 ∨ b ≠ 0) : Eventually fun t => a + natCast t * b ≠ 0 := by
  by_cases hs : ∃ s, a + natCast s * b = 0
  · obtain ⟨s, hs⟩ := hs
    refine ⟨s + 1, fun t hst ht => ?_⟩
    have h0 : (natCast t - natCast s) * b = 0 := by lin_comb (1) ht + (-1) hs
    rcases hdom _ _ h0 with h1 | rfl
    · rw [hnat _ _ (sub_eq_zero.mp h1)] at hst
      exact Nat.lt_irrefl _ hst
    · rw [mul_zero, add_zero] at hs
      exact h.elim (fun h => h hs) fun h => h rfl
  · exact ⟨0, fun t _ ht => hs ⟨t, ht⟩⟩
def dot (u w : Vec R d) : R := finSum fun i => u i * w i
theorem domain_sep (l : List (Vec R d)) (h : ∀ w ∈ l, w ≠ 0) : ∃ u : Vec R d, ∀ w ∈ l, dot u w ≠ 0 := by
  induction l with
  | nil => exact ⟨0, fun _ hw => nomatch hw⟩
  | cons w l ih =>
    obtain ⟨u, hu⟩ := ih fun w' hw' => h w' (List.mem_cons_of_mem w hw')
    obtain ⟨p, hp⟩ := exists_ne_zero (h w List.mem_cons_self)
    have hev : ∀ w' ∈ w :: l, Eventually fun t => dot u w' + natCast t * w' p ≠ 0 := by
      intro w' hw'
      apply domain_ev_ne hdom hnat
      rcases List.mem_cons.mp hw' with rfl | hw'
      · exact .inr hp
      · exact .inl (hu w' hw')
    obtain ⟨t, ht⟩ := (Eventually.list _ hev).exists
    refine ⟨u + smul (natCast t) (basis p), fun w' hw' => ?_⟩
    have e : dot (u + smul (natCast t) (basis p)) w' = dot u w' + natCast t * w' p := by
      have e1 : finSum (fun i => basis p i * w' i) = w' p := by
        rw [finSum_single p, basis_self, one_mul]
        intro j hj
        rw [basis_ne hj, zero_mul]
      rw [← e1, ← finSum_mul, dot, dot, ← finSum_add]
      congr; funext i
      rw [vadd_app, smul]; ring
    rw [e]
    exact ht w' hw'
end domain

end AttentionQueries
