(* The value of a game by a certificate over a database that is a term, too: `check` judges its
   values as it judges nodes and leaves, so there is no hypothesis. These lines and Spec.v are all
   that is to be read. *)
From Draughtproof Require Import Evidence.
From Draughtproof.theorems Require tables_4x8.

Theorem draw_4x8 : forall p, game_start {| rows := 4; columns := 8 |} 1 p ->
  holds {| rows := 4; columns := 8 |} p Draw.
Proof. exact tables_4x8.draw_4x8. Qed.

Print Assumptions draw_4x8.
