(* What the theorems assume; `make` compares the output with assumptions.txt. *)
From Draughtproof Require Import Plans Jumps Moves Game Winning SpecFacts Perft Published Soundness
  Joined Words Lines Exact Twin TwinFen Cover Successor Database Turned Loop Replay
  Parts Conditional ConditionalWin.

(** Nothing. *)
Definition of_the_game := (not_lost_no_win, closed_not_lost, ranked_win, values_exclude,
  means_exclude, plan_wins, pairs_exact, twin_move, twin_holds, twin_placed, start_exists,
  start_unique, start_rows).
Print Assumptions of_the_game.

(** Primitive integers with their specification. *)
Definition of_the_check := (successors_moves, jump_ends_sound, jump_ends_complete, pack_unpack,
  closed_set, wins_step, win_iff_plan, nodup_ordered, placed_exists, placed_unique, valid_begins,
  circle, pass, crowning, perft_8x8, perft_6x6, covered_in_cover, cover_spec, successor_in_cover,
  consistent_closed, follows_consistent, settled_wins, consistent_turned, settled_turned,
  replay_closed, replay_wins, check_holds, check_shards, proof_holds, is_game_exists, check_board,
  game_holds, fen_holds, check_means, shards_means, joined_means, statement_reads, verdict_means,
  verdict_shard, verdict_conditional, merged_means, parts_not_lost, conditional, conditional_win).
Print Assumptions of_the_check.
