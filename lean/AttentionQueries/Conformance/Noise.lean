import AttentionQueries.Conformance.NoiseCase

/-! # Conformance: noisy and one-bit answers

Generated from Python's own computation by `attnq crosscheck --write`; do not edit.

`Weighs ⟨(k, m, n), direction, τ, value, slope, answer⟩ low high` says that Lean finds the bounds for a weight from an
experiment that Python found, and `Contradicts` that it finds, too, that no head gives this answer;
`Combines d τ values p j experiments weights` that it finds the same bounds for column `j` of the score matrix.
`LearnsNoisy d τ rounds schedule transcript W v` says that Lean's learner from noisy answers asks the same queries and
reports the same intervals, `LearnsBits d threshold bound head found queries` that its learner from one-bit answers ends
with the same outcome after as many queries. A head is `⟨rows of W, v⟩`, a query a list of runs `(token, copies)`, a
rational number `(numerator, denominator)`. -/

namespace AttentionQueries.Conformance

/-! ## One experiment -/

example : Weighs ⟨(3, 4, 3), .plain, (3, 50), (3, 4), (1, 2), (7, 12)⟩ (438976, 328509) (some (238328, 27)) := by decide +kernel
example : Weighs ⟨(1, 3, 1), .minus, (0, 1), (2, 1), (3, 2), (8, 3)⟩ (12, 5) (some (12, 5)) := by decide +kernel
example : Weighs ⟨(1, 4, 1), .plain, (0, 1), (1, 2), (-3, 2), (-1, 3)⟩ (5, 1) (some (5, 1)) := by decide +kernel
example : Weighs ⟨(1, 1, 3), .plus, (3, 10), (7, 4), (-11, 8), (-35, 72)⟩ (13997521, 103823000) none := by decide +kernel
example : Weighs ⟨(1, 1, 3), .plus, (1, 50), (1, 2), (3, 4), (5, 12)⟩ (300763, 4913000) (some (571787, 2197000)) := by decide +kernel
example : Weighs ⟨(2, 3, 1), .minus, (3, 50), (7, 4), (11, 8), (85, 36)⟩ (102, 139) (some (1974, 943)) := by decide +kernel
example : Weighs ⟨(3, 4, 2), .minus, (1, 10), (2, 1), (3, 8), (13, 12)⟩ (0, 1) none := by decide +kernel
example : Weighs ⟨(3, 3, 3), .minus, (3, 50), (-7, 4), (1, 1), (-5, 36)⟩ (68921, 614125) (some (205379, 64000)) := by decide +kernel
example : Weighs ⟨(4, 4, 3), .minus, (0, 1), (1, 2), (3, 2), (2, 3)⟩ (1, 8) (some (1, 8)) := by decide +kernel
example : Weighs ⟨(1, 2, 2), .minus, (3, 10), (1, 1), (-5, 8), (1, 12)⟩ (0, 1) none := by decide +kernel
example : Weighs ⟨(4, 2, 3), .plus, (1, 50), (-1, 1), (-7, 8), (-1, 3)⟩ (0, 1) (some (512, 114084125)) := by decide +kernel
example : Weighs ⟨(2, 3, 3), .minus, (1, 50), (-9, 4), (5, 8), (-1, 3)⟩ (1601613, 166375) (some (63521199, 614125)) := by decide +kernel
example : Weighs ⟨(2, 3, 2), .plus, (1, 50), (-7, 4), (-5, 4), (-143, 72)⟩ (8520561, 141376) (some (9492561, 15376)) := by decide +kernel
example : Weighs ⟨(3, 2, 3), .plain, (0, 1), (0, 1), (-1, 2), (-1, 6)⟩ (1, 27) (some (1, 27)) := by decide +kernel
example : Weighs ⟨(4, 2, 1), .plus, (1, 50), (-2, 1), (3, 2), (-11, 6)⟩ (19, 424) (some (31, 376)) := by decide +kernel
example : Contradicts ⟨(3, 4, 2), .plain, (0, 1), (3, 4), (-5, 4), (-73, 72)⟩ := by decide +kernel
example : Weighs ⟨(2, 3, 1), .plain, (1, 10), (-2, 1), (0, 1), (-2, 1)⟩ (0, 1) none := by decide +kernel
example : Weighs ⟨(4, 3, 1), .plus, (1, 50), (0, 1), (3, 4), (1, 3)⟩ (66, 149) (some (84, 101)) := by decide +kernel
example : Contradicts ⟨(2, 2, 3), .plain, (1, 50), (-2, 1), (5, 8), (1, 36)⟩ := by decide +kernel
example : Weighs ⟨(1, 1, 2), .plus, (0, 1), (-5, 4), (-1, 8), (-23, 36)⟩ (1, 64) (some (1, 64)) := by decide +kernel
example : Weighs ⟨(3, 3, 2), .plus, (1, 50), (-1, 1), (7, 8), (-11, 36)⟩ (87616, 1825201) (some (163216, 1207801)) := by decide +kernel
example : Weighs ⟨(1, 4, 1), .minus, (1, 50), (1, 1), (7, 8), (43, 36)⟩ (1112, 1369) (some (1688, 1081)) := by decide +kernel
example : Weighs ⟨(2, 2, 3), .plain, (0, 1), (-1, 4), (-7, 8), (-13, 72)⟩ (1, 512) (some (1, 512)) := by decide +kernel
example : Weighs ⟨(1, 2, 3), .plus, (1, 50), (-1, 2), (1, 1), (13, 18)⟩ (912673, 1000) (some (8741816, 125)) := by decide +kernel
example : Contradicts ⟨(1, 1, 3), .plain, (0, 1), (2, 1), (3, 2), (7, 3)⟩ := by decide +kernel
example : Weighs ⟨(1, 2, 1), .minus, (1, 10), (-1, 2), (3, 2), (1, 3)⟩ (19, 16) (some (31, 4)) := by decide +kernel
example : Weighs ⟨(1, 2, 2), .minus, (0, 1), (1, 1), (-9, 8), (3, 8)⟩ (1, 16) (some (1, 16)) := by decide +kernel
example : Weighs ⟨(4, 1, 2), .plus, (1, 10), (-9, 4), (-5, 4), (-19, 8)⟩ (121, 196) none := by decide +kernel
example : Weighs ⟨(3, 1, 2), .plus, (1, 50), (-3, 2), (3, 2), (7, 12)⟩ (152881, 45369) (some (167281, 7569)) := by decide +kernel
example : Weighs ⟨(2, 3, 1), .plain, (3, 50), (-9, 4), (-7, 8), (-197, 72)⟩ (1977, 2048) (some (3273, 752)) := by decide +kernel
example : Weighs ⟨(2, 2, 1), .minus, (1, 10), (-9, 4), (-1, 8), (-169, 72)⟩ (0, 1) none := by decide +kernel
example : Weighs ⟨(4, 3, 1), .plus, (3, 10), (-2, 1), (1, 4), (-23, 12)⟩ (0, 1) none := by decide +kernel
example : Weighs ⟨(2, 3, 1), .plain, (1, 50), (-7, 4), (-1, 1), (-7, 4)⟩ (0, 1) (some (3, 47)) := by decide +kernel
example : Weighs ⟨(1, 3, 3), .plain, (1, 50), (1, 4), (0, 1), (1, 12)⟩ (0, 1) none := by decide +kernel
example : Weighs ⟨(1, 2, 3), .plain, (3, 10), (1, 4), (5, 8), (23, 36)⟩ (1404928, 21253933) none := by decide +kernel
example : Weighs ⟨(3, 1, 1), .plus, (1, 10), (-1, 2), (-11, 8), (-73, 36)⟩ (478, 267) none := by decide +kernel
example : Weighs ⟨(3, 4, 3), .minus, (1, 50), (1, 2), (1, 4), (7, 18)⟩ (348913664, 16581375) none := by decide +kernel
example : Weighs ⟨(4, 3, 1), .plus, (3, 10), (3, 4), (5, 8), (7, 6)⟩ (0, 1) none := by decide +kernel
example : Weighs ⟨(3, 2, 1), .plus, (1, 10), (1, 2), (-5, 4), (1, 2)⟩ (0, 1) (some (8, 51)) := by decide +kernel
example : Contradicts ⟨(3, 2, 2), .plain, (0, 1), (-1, 2), (1, 2), (-1, 4)⟩ := by decide +kernel
example : Weighs ⟨(2, 3, 3), .plus, (0, 1), (-1, 2), (1, 2), (1, 6)⟩ (27, 1) (some (27, 1)) := by decide +kernel
example : Weighs ⟨(2, 3, 3), .minus, (1, 10), (-1, 1), (5, 8), (2, 9)⟩ (11852352, 3048625) none := by decide +kernel
example : Contradicts ⟨(1, 4, 2), .plain, (0, 1), (-1, 1), (3, 4), (1, 3)⟩ := by decide +kernel
example : Weighs ⟨(4, 2, 3), .plain, (3, 10), (3, 2), (-1, 2), (1, 18)⟩ (1, 39304) none := by decide +kernel
example : Contradicts ⟨(4, 1, 2), .plus, (0, 1), (1, 1), (3, 4), (5, 4)⟩ := by decide +kernel
example : Weighs ⟨(4, 2, 3), .plain, (1, 10), (-5, 4), (-11, 8), (-37, 36)⟩ (636056, 46268279) (some (2406104, 6967871)) := by decide +kernel
example : Weighs ⟨(4, 2, 2), .plus, (1, 50), (1, 1), (7, 8), (19, 24)⟩ (24649, 614656) (some (37249, 379456)) := by decide +kernel
example : Weighs ⟨(2, 2, 1), .minus, (1, 50), (0, 1), (-1, 1), (-2, 3)⟩ (47, 31) (some (53, 19)) := by decide +kernel
example : Weighs ⟨(3, 2, 2), .plain, (1, 10), (-3, 2), (1, 8), (-11, 18)⟩ (0, 1) none := by decide +kernel
example : Weighs ⟨(3, 1, 3), .plus, (1, 10), (3, 2), (-5, 4), (2, 9)⟩ (17576, 350402625) (some (405224, 41063625)) := by decide +kernel
example : Weighs ⟨(2, 4, 1), .minus, (0, 1), (-3, 2), (3, 8), (-11, 8)⟩ (1, 1) (some (1, 1)) := by decide +kernel
example : Weighs ⟨(3, 4, 3), .plus, (0, 1), (1, 4), (-1, 8), (1, 72)⟩ (125, 27) (some (125, 27)) := by decide +kernel
example : Weighs ⟨(3, 1, 3), .minus, (1, 50), (-7, 4), (-5, 8), (-47, 72)⟩ (1331, 110592000) (some (5177717, 18399744000)) := by decide +kernel
example : Weighs ⟨(3, 2, 1), .plain, (0, 1), (-1, 4), (-7, 8), (-53, 72)⟩ (5, 6) (some (5, 6)) := by decide +kernel
example : Weighs ⟨(4, 3, 2), .minus, (0, 1), (2, 1), (-5, 4), (1, 36)⟩ (441, 64) (some (441, 64)) := by decide +kernel
example : Weighs ⟨(4, 3, 2), .minus, (3, 10), (-1, 2), (7, 8), (19, 36)⟩ (9, 196) none := by decide +kernel
example : Weighs ⟨(3, 2, 3), .plain, (0, 1), (-1, 1), (1, 4), (-5, 36)⟩ (343, 27) (some (343, 27)) := by decide +kernel
example : Weighs ⟨(3, 4, 2), .minus, (3, 50), (9, 4), (1, 8), (91, 72)⟩ (123904, 1121481) none := by decide +kernel
example : Weighs ⟨(3, 4, 3), .plain, (1, 10), (-3, 4), (5, 4), (1, 6)⟩ (4913, 110592) (some (1331, 729)) := by decide +kernel
example : Weighs ⟨(2, 2, 3), .plain, (0, 1), (1, 1), (-1, 1), (-2, 9)⟩ (125, 64) (some (125, 64)) := by decide +kernel

/-! ## Several directions -/

example : Combines 3 (1, 20) [(3, 2), (3, 2), (9, 4)] 2 1
    [[((1, 1, 2), (39, 28))], [], [((2, 2, 2), (15, 8))]]
    [((25281, 75625), (some (40401, 42025))), ((0, 1), none), ((441, 625), (some (36, 25)))] := by decide +kernel
example : Combines 2 (0, 1) [(-3, 4), (1, 4)] 0 0
    [[((1, 2, 1), (-21, 22))], [((2, 2, 1), (-1, 4)), ((3, 3, 1), (-1, 4))]]
    [((3, 4), (some (3, 4))), ((3, 4), (some (3, 4)))] := by decide +kernel
example : Combines 2 (1, 20) [(7, 4), (-3, 2)] 0 0
    [[((2, 1, 1), (49, 16))], [((2, 3, 2), (11, 40)), ((1, 1, 2), (-1, 40))]]
    [((97, 94), (some (113, 46))), ((1089, 841), (some (6561, 3844)))] := by decide +kernel
example : Combines 3 (0, 1) [(5, 4), (-3, 2), (-2, 1)] 2 0
    [[], [((2, 1, 1), (1, 8))], []]
    [((0, 1), none), ((3, 2), (some (3, 2))), ((0, 1), none)] := by decide +kernel
example : Combines 2 (1, 40) [(-1, 4), (3, 2)] 1 0
    [[], [((2, 2, 1), (13, 20))]]
    [((0, 1), none), ((34, 27), (some (38, 21)))] := by decide +kernel
example : Combines 3 (1, 20) [(7, 4), (-9, 4), (-1, 2)] 1 1
    [[], [], []]
    [((0, 1), none), ((0, 1), none), ((0, 1), none)] := by decide +kernel
example : Combines 2 (1, 20) [(3, 2), (5, 4)] 0 0
    [[], [((2, 2, 1), (17, 8)), ((2, 1, 2), (3, 2))]]
    [((0, 1), none), ((21, 31), (some (121, 100)))] := by decide +kernel
example : Combines 3 (1, 20) [(9, 4), (-2, 1), (5, 4)] 0 0
    [[((3, 2, 2), (315, 136))], [((3, 2, 2), (-27, 104))], [((1, 2, 1), (8, 3)), ((1, 2, 2), (129, 88))]]
    [((484, 1225), (some (329476, 403225))), ((206116, 148225), (some (256036, 65025))), ((38, 59), (some (14884, 13225)))] := by decide +kernel
example : Combines 2 (1, 20) [(3, 4), (-1, 1)] 1 0
    [[((1, 1, 2), (33, 40))], [((2, 2, 1), (9, 28))]]
    [((225, 289), (some (9, 1))), ((46, 101), (some (74, 59)))] := by decide +kernel
example : Combines 2 (1, 20) [(9, 4), (2, 1)] 0 1
    [[((2, 3, 1), (11, 4)), ((2, 2, 1), (83, 28))], [((1, 1, 2), (13, 7)), ((1, 1, 1), (3, 1))]]
    [((121, 201), (some (149, 159))), ((18, 23), (some (7569, 9025)))] := by decide +kernel
example : Combines 3 (1, 20) [(-2, 1), (-3, 2), (-1, 1)] 0 1
    [[((2, 1, 1), (-17, 6))], [((1, 3, 1), (-2, 1))], []]
    [((37, 49), (some (43, 31))), ((24, 23), (some (36, 17))), ((0, 1), none)] := by decide +kernel
example : Combines 3 (1, 40) [(2, 1), (-9, 4), (9, 4)] 1 0
    [[((3, 2, 1), (52, 17)), ((1, 3, 2), (3, 2))], [((2, 3, 2), (-1, 8))], []]
    [((12321, 15625), (some (1508, 1767))), ((68121, 36100), (some (77841, 28900))), ((0, 1), none)] := by decide +kernel
example : Combines 2 (1, 20) [(9, 4), (1, 2)] 0 1
    [[((3, 1, 2), (47, 26)), ((1, 2, 2), (1, 1))], [((1, 2, 1), (17, 12))]]
    [((2916, 4225), (some (80089, 87025))), ((4264225, 4885429), (some (257725, 142884)))] := by decide +kernel
example : Combines 2 (1, 40) [(-3, 4), (-2, 1)] 1 0
    [[], [((1, 1, 1), (-7, 4)), ((2, 2, 2), (-11, 8))]]
    [((0, 1), none), ((38, 43), (some (42, 37)))] := by decide +kernel
example : Combines 3 (1, 20) [(3, 4), (1, 1), (1, 2)] 1 0
    [[((1, 2, 1), (21, 22)), ((3, 1, 2), (87, 88))], [((2, 1, 2), (9, 8)), ((2, 3, 2), (17, 24))], [((3, 3, 2), (5, 8)), ((1, 3, 2), (19, 40))]]
    [((6241, 13225), (some (134, 87))), ((81, 100), (some (21609, 16900))), ((49, 225), (some (441, 121)))] := by decide +kernel
example : Combines 3 (0, 1) [(-2, 1), (1, 4), (5, 4)] 0 0
    [[], [((3, 1, 1), (-5, 16))], [((1, 2, 1), (-41, 28))]]
    [((0, 1), none), ((0, 1), none), ((3, 2), (some (3, 2)))] := by decide +kernel
example : Combines 2 (1, 40) [(-1, 4), (3, 2)] 1 1
    [[((2, 1, 1), (9, 20)), ((3, 2, 2), (-3, 10))], []]
    [((0, 1), none), ((0, 1), none)] := by decide +kernel
example : Combines 3 (1, 20) [(-7, 4), (9, 4), (1, 1)] 1 2
    [[((2, 1, 2), (-11, 20))], [((2, 2, 1), (47, 20))], [((2, 3, 2), (9, 5)), ((1, 1, 2), (49, 20))]]
    [((169, 484), (some (2025, 2116))), ((25, 21), (some (29, 15))), ((84375, 100949), (some (22869, 20164)))] := by decide +kernel
example : Combines 2 (1, 20) [(-2, 1), (1, 4)] 0 1
    [[], [((2, 3, 2), (5, 4)), ((2, 2, 1), (17, 14))]]
    [((0, 1), none), ((0, 1), none)] := by decide +kernel

/-! ## The learner from noisy answers -/

example : LearnsNoisy 1 (1, 20) 2 [[[(1, 1)]]] [
    ([([1], 1)], (-21, 20)),
    ([([2], 1), ([1], 1)], (-7, 4))]
    [[(some (1, 2))]]
    [((-11, 10), (-1, 1))] := by decide +kernel
example : LearnsNoisy 2 (1, 100) 1 [[[(1, 1)], [(1, 1)]], [[(1, 1)], [(1, 1)]]] [
    ([([1, 0], 1)], (99, 100)),
    ([([0, 1], 1)], (13, 50)),
    ([([2, 0], 1), ([1, 0], 1)], (503, 300)),
    ([([1, 1], 1), ([0, 1], 1)], (11, 25)),
    ([([2, 1], 1), ([1, 0], 1)], (547, 300)),
    ([([1, 2], 1), ([0, 1], 1)], (161, 150))]
    [[(some (1, 1)), (some (-2, -2))], [(some (0, 0)), (some (3, 3))]]
    [((49, 50), (1, 1)), ((1, 4), (27, 100))] := by decide +kernel
example : LearnsNoisy 2 (1, 25) 2 [[[(1, 1), (7, 1)], [(1, 1)]], [[(1, 1)], [(1, 1)]]] [
    ([([1, 0], 1)], (-28, 75)),
    ([([0, 1], 1)], (51, 25)),
    ([([2, -1], 1), ([1, 0], 1)], (-373, 675)),
    ([([2, -1], 7), ([1, 0], 1)], (-311, 225)),
    ([([1, 0], 1), ([0, 1], 1)], (266, 225)),
    ([([1, 1], 1), ([1, 0], 1)], (92, 75)),
    ([([0, 2], 1), ([0, 1], 1)], (247, 75))]
    [[(some (-2, -1)), (some (0, 0))], [(some (2, 2)), (some (1, 1))]]
    [((-31, 75), (-1, 3)), ((2, 1), (52, 25))] := by decide +kernel

/-! ## The learner from one-bit answers -/

example : LearnsBits 1 ⟨1, 1, false, by decide, by decide⟩ 1 ⟨[[1]], [(-1, 1)]⟩ (some ([[1]], [-1])) 4 := by decide +kernel
example : LearnsBits 1 ⟨2, 3, true, by decide, by decide⟩ 1 ⟨[[-1]], [(1, 1)]⟩ (some ([[-1]], [1])) 4 := by decide +kernel
example : LearnsBits 1 ⟨1, 1, false, by decide, by decide⟩ 2 ⟨[[1]], [(-2, 1)]⟩ (some ([[1]], [-2])) 6 := by decide +kernel
example : LearnsBits 1 ⟨2, 1, false, by decide, by decide⟩ 1 ⟨[[0]], [(1, 1)]⟩ (some ([[0]], [1])) 4 := by decide +kernel
example : LearnsBits 1 ⟨1, 1, false, by decide, by decide⟩ 2 ⟨[[1]], [(0, 1)]⟩ none 3 := by decide +kernel
example : LearnsBits 2 ⟨1, 1, false, by decide, by decide⟩ 1 ⟨[[1, -1], [0, 1]], [(1, 1), (-1, 1)]⟩ (some ([[1, -1], [0, 1]], [1, -1])) 12 := by decide +kernel
example : LearnsBits 2 ⟨1, 2, false, by decide, by decide⟩ 1 ⟨[[1, 0], [0, -1]], [(1, 1), (1, 1)]⟩ (some ([[1, 0], [0, -1]], [1, 1])) 12 := by decide +kernel
example : LearnsBits 2 ⟨1, 2, true, by decide, by decide⟩ 1 ⟨[[0, 1], [-1, 1]], [(0, 1), (1, 1)]⟩ (some ([[0, 1], [-1, 1]], [0, 1])) 14 := by decide +kernel
example : LearnsBits 2 ⟨1, 1, true, by decide, by decide⟩ 1 ⟨[[1, 1], [0, -1]], [(0, 1), (0, 1)]⟩ none 4 := by decide +kernel

end AttentionQueries.Conformance
