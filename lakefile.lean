import Lake
open Lake DSL

package «attention-queries» where
  leanOptions := #[⟨`warningAsError, true⟩]

@[default_target]
lean_lib AttentionQueries where
  srcDir := "lean"
