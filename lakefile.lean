import Lake
open Lake DSL

package «attention-queries» where
  leanOptions := #[⟨`warningAsError, true⟩, ⟨`autoImplicit, false⟩]

@[default_target]
lean_lib AttentionQueries where
  srcDir := "lean"
