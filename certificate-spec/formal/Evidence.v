(* What `prove report --coq` writes its theorems with: the evidence of a certificate without a
   database as a term, and the contents of squares. *)
From Coq Require Import List Uint63.
From Draughtproof Require Export Spec Rules Perft Database Replay Check Soundness.
Import ListNotations.

(** The lowest [n] bits of a word, the lowest first. *)
Fixpoint bits_of (n : nat) (word : int) (rest : list bool) : list bool :=
  match n with 0%nat => rest | S n' => bit word 0 :: bits_of n' (word >> 1)%uint63 rest end.

(** A strategy: words of seven bytes, and the bytes that are left. *)
Definition strategy (words : list int) (bytes : nat) (last : int) : list bool :=
  fold_right (bits_of 56) (bits_of (8 * bytes) last []) words.

(** No position is covered, so no value and no depth is asked for. *)
Definition no_database (b : board) (of_black of_white : list node) : evidence :=
  {| of_board := b; cover := []; table := fun _ => Drawn; depth := fun _ => 0%uint63;
     nodes := fun x => match x with Black => of_black | White => of_white end |}.

(** A position, and a node there. *)
Definition masks (b w k : int) (s : side) : packed :=
  {| black := b; white := w; kings := k; to_move := s |}.
Definition node_at (b w k : int) (s : side) (r : int) (y : reason) : node :=
  {| place := masks b w k s; rank := r; why := y |}.

(** The contents of a square. *)
Definition none : option (side * kind) := None.
Definition black_man := Some (Black, Man).
Definition black_king := Some (Black, King).
Definition white_man := Some (White, Man).
Definition white_king := Some (White, King).
