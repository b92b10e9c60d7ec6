(* Opening 15 of the 2007 solution after nine plies: Openings.v says what such a theorem means.
   `make openings` proves it. *)
From Coq Require Import List.
From Draughtproof Require Import Evidence Conditional.
From Draughtproof.theorems Require opening_15_9.
Import ListNotations.

Definition board_8x8 : board := {| rows := 8; columns := 8 |}.

(** After nine plies: W:W12,20,21,22,23,25,26,27,29,30,31,32:B2,3,4,5,6,7,8,9,10,14,16. *)
Definition after_nine_plies (p : position) : Prop :=
  placed board_8x8 White [
      none; black_man; black_man; black_man;
    black_man; black_man; black_man; black_man;
      black_man; black_man; none; white_man;
    none; black_man; none; black_man;
      none; none; none; white_man;
    white_man; white_man; white_man; none;
      white_man; white_man; white_man; none;
    white_man; white_man; white_man; white_man] p.

(** The positions of at most seven pieces, or eight with four of each side, that the certificate
    leads to. *)
Definition reached_15_9 : list position :=
  map (unpack board_8x8) (reached opening_15_9.met_White).

Theorem opening_15_9 : (forall y, In y reached_15_9 -> NotLost board_8x8 White y) ->
  forall p, after_nine_plies p -> NotLost board_8x8 White p.
Proof. intros H. exact (opening_15_9.not_lost_White (fun y I => H _ (in_map _ _ _ I))). Qed.

Print Assumptions opening_15_9.
