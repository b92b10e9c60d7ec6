(* Values of games, as theorems about `holds`: these lines and Spec.v are all that is to be read.
   The evidence is in files that `make theorems` lets the prover write, and that need not be
   trusted. *)
From Coq Require Import List.
From Draughtproof Require Import Evidence.
From Draughtproof.theorems Require game_4x4 game_4x6 game_6x4 game_5x5_2 game_8x4 game_4x8
  game_5x7_2 game_6x6 ending_8x8.
Import ListNotations.

Definition size (r c : nat) : board := {| rows := r; columns := c |}.

Theorem draw_4x4 : forall p, game_start (size 4 4) 1 p -> holds (size 4 4) p Draw.
Proof. exact game_4x4.draw_4x4. Qed.

Theorem draw_4x6 : forall p, game_start (size 4 6) 1 p -> holds (size 4 6) p Draw.
Proof. exact game_4x6.draw_4x6. Qed.

Theorem white_wins_6x4 : forall p, game_start (size 6 4) 2 p -> holds (size 6 4) p (Wins White).
Proof. exact game_6x4.white_wins_6x4. Qed.

Theorem white_wins_5x5_2 : forall p, game_start (size 5 5) 2 p -> holds (size 5 5) p (Wins White).
Proof. exact game_5x5_2.white_wins_5x5_2. Qed.

Theorem draw_8x4 : forall p, game_start (size 8 4) 3 p -> holds (size 8 4) p Draw.
Proof. exact game_8x4.draw_8x4. Qed.

Theorem draw_4x8 : forall p, game_start (size 4 8) 1 p -> holds (size 4 8) p Draw.
Proof. exact game_4x8.draw_4x8. Qed.

Theorem draw_5x7_2 : forall p, game_start (size 5 7) 2 p -> holds (size 5 7) p Draw.
Proof. exact game_5x7_2.draw_5x7_2. Qed.

Theorem draw_6x6 : forall p, game_start (size 6 6) 2 p -> holds (size 6 6) p Draw.
Proof. exact game_6x6.draw_6x6. Qed.

(** Two men against a king of 8x8, which Black begins with and loses: B:W29,30:BK4. *)
Theorem white_wins_8x8 : forall p,
  placed (size 8 8) Black
    [  none; none; none; black_king;
     none; none; none; none;
       none; none; none; none;
     none; none; none; none;
       none; none; none; none;
     none; none; none; none;
       none; none; none; none;
     white_man; white_man; none; none] p ->
  holds (size 8 8) p (Wins White).
Proof. exact ending_8x8.white_wins_8x8. Qed.

(** What they assume together; `make theorems` compares it with assumptions.txt. *)
Definition ladder := (draw_4x4, draw_4x6, white_wins_6x4, white_wins_5x5_2, draw_8x4, draw_4x8,
  draw_5x7_2, draw_6x6, white_wins_8x8).
Print Assumptions ladder.
