import AttentionQueries.Affine
import AttentionQueries.Algebra.DomainSeparation
import AttentionQueries.Algebra.Fractions
import AttentionQueries.Algebra.Field
import AttentionQueries.Algebra.List
import AttentionQueries.Algebra.Matrix
import AttentionQueries.Algebra.OrderedField
import AttentionQueries.Algebra.Polynomial
import AttentionQueries.Algebra.Ring
import AttentionQueries.Algebra.RingTactic
import AttentionQueries.Algebra.Sum
import AttentionQueries.Algebra.Vector
import AttentionQueries.Base2.Instance
import AttentionQueries.Base2.Noise
import AttentionQueries.Base2.Rational
import AttentionQueries.Block
import AttentionQueries.Certificate.Cert
import AttentionQueries.Certificate.CertSound
import AttentionQueries.Certificate.ClassCert
import AttentionQueries.Certificate.Complete
import AttentionQueries.Certificate.Fast
import AttentionQueries.Certificate.Link
import AttentionQueries.Certificate.RS
import AttentionQueries.LowRank.Cross
import AttentionQueries.LowRank.FactorGauge
import AttentionQueries.LowRank.Head
import AttentionQueries.LowRank.Rank
import AttentionQueries.LowRank.Wedderburn
import AttentionQueries.Model
import AttentionQueries.MultiHead.Cauchy
import AttentionQueries.MultiHead.ClassTest
import AttentionQueries.MultiHead.Fibre
import AttentionQueries.MultiHead.FiniteTest
import AttentionQueries.MultiHead.Reduced
import AttentionQueries.MultiHead.Separation
import AttentionQueries.MultiHead.Symmetry
import AttentionQueries.Noise
import AttentionQueries.Query
import AttentionQueries.Semantics
import AttentionQueries.SingleHead.Formulas
import AttentionQueries.SingleHead.Identifiability
import AttentionQueries.SingleHead.Learner
import AttentionQueries.Transformer

/-! # Attention queries

The root of the library: it imports every module. A reader starts at `AttentionQueries.Results`. -/
