(* A database of few pieces as a primitive array, for theorems without a hypothesis about values.
   Nothing is proved of it: `check` judges each value, whichever table it is from. *)
From Coq Require Import List Uint63 PArray.
From Draughtproof Require Export Evidence.
From Draughtproof Require Import Squares Rules Cover.
Import ListNotations.
Local Open Scope uint63_scope.
Local Open Scope array_scope.

(** Pascal's triangle: C(n, k) at 8 n + k, for n < 33 and k < 8. *)
Fixpoint pascal (left : nat) (i : int) (c : array int) : array int :=
  match left with
  | O => c
  | S left' =>
    pascal left' (i + 1) c.[i <- if i land 7 =? 0 then 1 else c.[i - 8] + c.[i - 9]]
  end.
Definition choose : array int := pascal 256 8 (make 264 0).[0 <- 1].

(** Sets have at most this number of squares. *)
Definition most : nat := 7.

Fixpoint size_of (left : nat) (m n : int) : int :=
  match left with
  | O => n
  | S left' => if m =? 0 then n else size_of left' (m land (m - 1)) (n + 1)
  end.

(** The ranks of SPEC.md, 8.2: of a set of Black, whose [k]th square is the lowest one that is left;
    and of a set of White after half a turn of a board with [s] squares. *)
Fixpoint rank_up (left : nat) (m k sum : int) : int :=
  match left with
  | O => sum
  | S left' =>
    if m =? 0 then sum else rank_up left' (m land (m - 1)) (k + 1) (sum + choose.[8 * tail0 m + k])
  end.
Fixpoint rank_down (left : nat) (s m k sum : int) : int :=
  match left with
  | O => sum
  | S left' =>
    if m =? 0 then sum
    else rank_down left' s (m land (m - 1)) (k - 1) (sum + choose.[8 * (s - 1 - tail0 m) + k])
  end.

(** The squares of a board, those on which a man can stand, and one more than the most pieces; the
    first index of each slice, and the values of 16 indices in each word: 1 for won, 2 for lost. *)
Record tables := {
  all_squares : int;
  men_squares : int;
  base : int;
  first_of : array int;
  words : array int
}.

(** The value of a position with Black to move. SPEC.md, 8.2, defines its index in its slice. *)
Definition value_in (t : tables) (e : packed) : value :=
  let s := all_squares t in
  let kings_here := black e land kings e in
  let men_here := black e lxor kings_here in
  let kings_there := white e land kings e in
  let men_there := white e lxor kings_there in
  let a := size_of most men_here 0 in
  let b := size_of most kings_here 0 in
  let c := size_of most men_there 0 in
  let d := size_of most kings_there 0 in
  let block := rank_up most men_here 1 0 * choose.[8 * men_squares t + c]
    + rank_down most s men_there c 0 in
  let row := block * choose.[8 * s + d] + rank_down most s kings_there d 0 in
  let i := (first_of t).[((a * base t + b) * base t + c) * base t + d]
    + row * choose.[8 * s + b] + rank_up most kings_here 1 0 in
  let v := ((words t).[i >> 4] >> (2 * (i land 15))) land 3 in
  if v =? 0 then Drawn else if v =? 1 then Won else Lost.

Fixpoint fill (l : list int) (i : int) (a : array int) : array int :=
  match l with [] => a | x :: rest => fill rest (i + 1) a.[i <- x] end.
(** An array of [n] words that begins with these parts. *)
Definition filled (n : int) (parts : list (list int)) : array int :=
  fill (concat parts) 0 (make n 0).

Definition with_tables (b : board) (c : list clause) (t : tables)
  (of_black of_white : list node) : evidence :=
  {| of_board := b; cover := c; table := value_in t; depth := fun _ => 0;
     nodes := fun x => match x with Black => of_black | White => of_white end |}.
