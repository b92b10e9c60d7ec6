(* What the theorems assume; `make` compares the output with assumptions.txt. *)
From Draughtproof Require Import Plans Moves Game Winning SpecFacts Perft Soundness Joined Words Exact
  Twin TwinFen.

(** Nothing. *)
Definition of_the_game := (not_lost_no_win, closed_not_lost, ranked_win, values_exclude,
  means_exclude, plan_wins, pairs_exact, twin_move, twin_holds, twin_placed).
Print Assumptions of_the_game.

(** Primitive integers with their specification. *)
Definition of_the_check := (successors_moves, win_iff_plan, check_holds, check_shards, proof_holds,
  is_game_exists, check_board, game_holds, fen_holds, check_means, shards_means,
  joined_means, statement_reads, verdict_means).
Print Assumptions of_the_check.
