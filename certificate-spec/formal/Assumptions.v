(* What the theorems assume; `make` compares the output with assumptions.txt. *)
From Draughtproof Require Import Spec Moves Game Perft Soundness Twin TwinFen.
Print Assumptions not_lost_no_win.
Print Assumptions closed_not_lost.
Print Assumptions ranked_win.
Print Assumptions successors_moves.
Print Assumptions check_holds.
Print Assumptions check_shards.
Print Assumptions proof_holds.
Print Assumptions is_game_exists.
Print Assumptions check_board.
Print Assumptions game_holds.
Print Assumptions fen_holds.
Print Assumptions twin_move.
Print Assumptions twin_holds.
Print Assumptions twin_placed.
