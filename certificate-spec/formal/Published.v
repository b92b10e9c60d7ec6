(* Published numbers (corpus/perft.tsv), as far as no position is reached by two captures. *)
From Coq Require Import List Uint63.
From Draughtproof Require Import Spec Rules Perft.
Import ListNotations.

Definition board_8x8 : board := {| rows := 8; columns := 8 |}.
Definition board_6x6 : board := {| rows := 6; columns := 6 |}.

Example perft_8x8 :
  map (fun d => perft (make_geometry board_8x8) d (start_of board_8x8 3)) [1; 2; 3; 4; 5; 6; 7]%nat
  = [7; 49; 302; 1469; 7361; 36768; 179740]%uint63.
Proof. vm_compute. reflexivity. Qed.

Example perft_6x6 :
  map (fun d => perft (make_geometry board_6x6) d (start_of board_6x6 2))
    [1; 2; 3; 4; 5; 6; 7; 8]%nat
  = [5; 25; 106; 369; 1271; 4104; 12495; 37474]%uint63.
Proof. vm_compute. reflexivity. Qed.
