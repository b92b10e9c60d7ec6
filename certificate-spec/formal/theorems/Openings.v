(* Positions with a database as hypothesis: each theorem asks that the positions of the database that
   the certificate leads to have the value that they need, and nothing else. These lines and Spec.v
   are all that is to be read. Here are positions that are proved in seconds; the files
   Opening_15_15.v and Opening_15_9.v have larger ones. *)
From Coq Require Import List.
From Draughtproof Require Import Evidence Conditional.
From Draughtproof.theorems Require opening_15_23 win_6x6.
Import ListNotations.

Definition board_8x8 : board := {| rows := 8; columns := 8 |}.

(** * Opening 15 of the 2007 solution *)

(** After 23 plies: W:W12,17,18,23,26,27,30,31,32:B2,3,4,5,7,10,13,21. *)
Definition after_23_plies (p : position) : Prop :=
  placed board_8x8 White [
      none; black_man; black_man; black_man;
    black_man; none; black_man; none;
      none; black_man; none; white_man;
    black_man; none; none; none;
      white_man; white_man; none; none;
    black_man; none; white_man; none;
      none; white_man; white_man; none;
    none; white_man; white_man; white_man] p.

(** The positions of at most six pieces that the certificate leads to. That White loses none of them
    is what `check` derives (`make theorems/opening_15_23.derived`):
<<
s VERIFIED POSITIONS WHITE-NOT-LOST 8x8 pieces=6 positions=49509
  list=1afb52a737706e55a18097b1a15f7d8256045a3b1ba9e3f6e007ffce33e92dfa
>> *)
Definition reached_15_23 : list position :=
  map (unpack board_8x8) (reached opening_15_23.met_White).

Theorem opening_15_23 : (forall y, In y reached_15_23 -> NotLost board_8x8 White y) ->
  forall p, after_23_plies p -> NotLost board_8x8 White p.
Proof. intros H. exact (opening_15_23.not_lost_White (fun y I => H _ (in_map _ _ _ I))). Qed.

(** * A win *)

(** B:W13,14,17:B1,2,5 on 6x6, which Black wins over at most three pieces. *)
Definition board_6x6 : board := {| rows := 6; columns := 6 |}.
(** That Black wins all of them is what `check` derives (`make theorems`):
<<
s VERIFIED POSITIONS BLACK-WINS 6x6 pieces=3 positions=297
  list=31110bac8640634e5cfb31d1ba21a5002ec3eca7eaf239fecd86260d128ba24f
>> *)
Definition reached_6x6 : list position := map (unpack board_6x6) (reached win_6x6.met_Black).

Theorem win_6x6 : (forall y, In y reached_6x6 -> Win board_6x6 Black y) ->
  forall p, placed board_6x6 Black [
      black_man; black_man; none;
    none; black_man; none;
      none; none; none;
    none; none; none;
      white_man; white_man; none;
    none; white_man; none] p -> Win board_6x6 Black p.
Proof. intros H. exact (win_6x6.wins_Black (fun y I => H _ (in_map _ _ _ I))). Qed.

(** What they assume together; `make theorems` compares it with openings.txt. *)
Definition openings := (opening_15_23, win_6x6).
Print Assumptions openings.
