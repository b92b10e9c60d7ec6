(* What the theorems assume; `make` compares the output with assumptions.txt. *)
Require Import Spec Moves Game Perft.
Print Assumptions not_lost_no_win.
Print Assumptions closed_not_lost.
Print Assumptions ranked_win.
Print Assumptions successors_moves.
Print Assumptions pack_unpack.
Print Assumptions closed_set.
Print Assumptions wins_step.
Print Assumptions start_of_game.
