import AttentionQueries.Base2.Instance
import AttentionQueries.SingleHead.Learner

/-! # Certificates: checking a transcript of a single head over `(ℤ, ℚ, 2 ^ s)` with integers only -/

namespace AttentionQueries
open CommRing OrderedField

namespace Cert

/-! ## the checker (plain data, structural recursion) -/
abbrev Tok := List Int
structure Entry where
  ctx : List Tok
  q : Tok
  num : Int
  den : Nat

def ieq : Int → Int → Bool
  | .ofNat a, .ofNat b => Nat.beq a b
  | .negSucc a, .negSucc b => Nat.beq a b
  | _, _ => false
def leq {A : Type} (eq : A → A → Bool) : List A → List A → Bool
  | [], [] => true
  | a :: l, b :: m => cond (eq a b) (leq eq l m) false
  | _, _ => false
/-- `∑ xᵢ f(lᵢ)`, skipping zeros (compiled form of `sdot`) -/
def sdotC {A : Type} (f : A → Int) : List Int → List A → Int
  | x :: xs, a :: l => cond (ieq x (.ofNat 0)) (sdotC f xs l) (Int.add (Int.mul x (f a)) (sdotC f xs l))
  | _, _ => .ofNat 0
def isZC (x : Int) : Bool := ieq x (.ofNat 0)
@[implemented_by isZC] def isZ (x : Int) : Bool := Int.rec (fun n => Nat.beq n 0) (fun _ => false) x
/-- the same with explicit recursors, which the kernel evaluates 2-3 times as fast -/
@[implemented_by sdotC] def sdot {A : Type} (f : A → Int) (xs : List Int) : List A → Int :=
  List.rec (motive := fun _ => List A → Int) (fun _ => .ofNat 0)
    (fun x _ ih l => List.rec (.ofNat 0)
      (fun a l _ => Bool.rec (Int.add (Int.mul x (f a)) (ih l)) (ih l) (isZ x)) l) xs
def pairL (v : List Int) (x : Tok) : Int := sdot (fun a => a) x v
def scoreL (W : List (List Int)) (x q : Tok) : Int := sdot (fun r => pairL r q) x W
/-- running weighted sum `n` and weight `m`, both in units of `2 ^ c` -/
def go (W : List (List Int)) (v : List Int) (D : Nat) (q : Tok) (num : Int) (den : Nat) :
    List Tok → Int → Int → Nat → Bool
  | [], _, n, m => ieq (Int.mul n (.ofNat den)) (Int.mul num (.ofNat (Nat.mul D m)))
  | x :: xs, c, n, m =>
    match Int.sub (scoreL W x q) c with
    | .ofNat k => go W v D q num den xs c (Int.add n (Int.mul (.ofNat (Nat.pow 2 k)) (pairL v x))) (Nat.add m (Nat.pow 2 k))
    | .negSucc k => go W v D q num den xs (scoreL W x q)
        (Int.add (Int.mul (.ofNat (Nat.pow 2 (k + 1))) n) (pairL v x)) (Nat.add (Nat.mul (Nat.pow 2 (k + 1)) m) 1)
def checkEntry (W : List (List Int)) (v : List Int) (D : Nat) (e : Entry) : Bool :=
  cond (Nat.ble 1 e.den) (go W v D e.q e.num e.den e.ctx (scoreL W e.q e.q) (pairL v e.q) 1) false
def checkEntries (W : List (List Int)) (v : List Int) (D : Nat) : List Entry → Bool
  | [] => true
  | e :: l => cond (checkEntry W v D e) (checkEntries W v D l) false
def short (d : Nat) {A : Type} : List A → Bool := fun l => Nat.ble l.length d
def allB {A : Type} (f : A → Bool) : List A → Bool
  | [] => true
  | a :: l => cond (f a) (allB f l) false
def wf (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) : Bool :=
  cond (Nat.ble 1 D) (cond (short d v) (cond (short d W) (allB (short d) W) false) false) false

/-! ## the learner's questions as data -/
def zeros : Nat → Tok
  | 0 => []
  | d + 1 => .ofNat 0 :: zeros d
def unit : Nat → Nat → Tok
  | 0, _ => []
  | d + 1, 0 => .ofNat 1 :: zeros d
  | d + 1, i + 1 => .ofNat 0 :: unit d i
def addL : Tok → Tok → Tok
  | [], m => m
  | x :: l, [] => x :: l
  | x :: l, y :: m => Int.add x y :: addL l m
def upto : Nat → List Nat → List Nat
  | 0, acc => acc
  | n + 1, acc => upto n (n :: acc)
def nthD {A : Type} (a₀ : A) : List A → Nat → A
  | [], _ => a₀
  | a :: _, 0 => a
  | _ :: l, n + 1 => nthD a₀ l n
def firstNZ' : List Int → Nat → Nat
  | [], i => i
  | x :: l, i => cond (ieq x (.ofNat 0)) (firstNZ' l (i + 1)) i
def dirL (d : Nat) (v : List Int) (p i : Nat) : Tok :=
  cond (ieq (nthD (.ofNat 0) v i) (.ofNat 0)) (addL (unit d i) (unit d p)) (unit d i)
def rowL (d : Nat) (u : Tok) : List Nat → List (List Tok × Tok) → List (List Tok × Tok)
  | [], k => k
  | j :: js, k => ([addL (unit d j) u], unit d j) :: rowL d u js k
def rowsL (d : Nat) (v : List Int) (p : Nat) : List Nat → List (List Tok × Tok)
  | [] => []
  | i :: is => rowL d (dirL d v p i) (upto d []) (rowsL d v p is)
def basisL (d : Nat) : List Nat → List (List Tok × Tok) → List (List Tok × Tok)
  | [], k => k
  | i :: is, k => ([], unit d i) :: basisL d is k
/-- the `d + d²` questions of the learner -/
def questions (d : Nat) (v : List Int) : List (List Tok × Tok) :=
  basisL d (upto d []) (rowsL d v (firstNZ' v 0) (upto d []))
/-- the transcript starts with the given questions -/
def starts : List (List Tok × Tok) → List Entry → Bool
  | [], _ => true
  | _ :: _, [] => false
  | c :: cs, e :: es => cond (leq (leq ieq) c.1 e.ctx) (cond (leq ieq c.2 e.q) (starts cs es) false) false

/-- **The checker.** -/
def check (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) (T : List Entry) : Bool :=
  cond (wf d W v D) (cond (Nat.ble (Nat.succ (firstNZ' v 0)) v.length)
    (cond (starts (questions d v) T) (checkEntries W v D T) false) false) false

/-- the same, with the questions regenerated: `A` is the list of answers, in the learner's order -/
def fill : List (List Tok × Tok) → List (Int × Nat) → List Entry
  | c :: cs, a :: as => ⟨c.1, c.2, a.1, a.2⟩ :: fill cs as
  | _, _ => []
def checkAnswers (d : Nat) (W : List (List Int)) (v : List Int) (D : Nat) (A : List (Int × Nat)) : Bool :=
  cond (wf d W v D) (cond (Nat.ble (Nat.succ (firstNZ' v 0)) v.length)
    (cond (Nat.beq A.length (d + d * d)) (checkEntries W v D (fill (questions d v) A)) false) false) false

end Cert

end AttentionQueries
