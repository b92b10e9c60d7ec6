(* The check of a certificate, whole or in shards, as SPEC.md, 6 to 8, asks for it. *)
From Coq Require Import List Arith Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Game Perft Seen Cover Database Turned Loop
  Replay.
Import ListNotations.
Local Open Scope nat_scope.

(** What a node says: the number of the chosen successor; nothing; how many positions a strategy
    expands, and the bits of the strategy. *)
Inductive reason := Or (choice : int) | And | Leaf (stated : int) (strategy : list bool).
Record node := { place : packed; rank : int; why : reason }.

(** All that is given: a board, a cover, values and depths of the positions of the database with
    Black to move (depths matter for wins only), and the nodes for each side that has a claim.
    Values and depths are functions, wherever they are from. *)
Record evidence := {
  of_board : board;
  cover : list clause;
  table : packed -> value;
  depth : packed -> int;
  nodes : side -> list node
}.

(** Where White is to move, they are those of the twin. *)
Definition value_of (g : geometry) (ev : evidence) : packed -> value := for_both g (table ev).
Definition depth_of (g : geometry) (ev : evidence) : packed -> int := for_both g (depth ev).

Section Question.
Variables (g : geometry) (ev : evidence) (x : side) (win : bool).

Definition in_database : packed -> bool := covered g (cover ev).
Definition suiting : packed -> bool := suits g (cover ev) (value_of g ev) x win.

(** Nodes by position, with their ranks. *)
Definition ranks : tree := fold_left (fun t n => put t (place n) (rank n)) (nodes ev x) Empty.

Section Ranks.
Variable t : tree.

(** A node that a node or leaf of rank [r] may rest on. *)
Definition known (r : int) (e : packed) : bool :=
  match lookup t e with None => false | Some r' => if win then (r' <? r)%uint63 else true end.

(** A successor of a node of rank [r] holds: the first of three rules that applies decides. *)
Definition holds_below (r : int) (e : packed) : bool :=
  if in_database e then suiting e
  else match lookup t e with Some _ => known r e | None => stuck g x e end.

Definition replayed (n : node) : option tree :=
  match why n with
  | Leaf stated strategy =>
    replay g x win in_database suiting (known (rank n)) (place n) stated strategy
  | _ => None
  end.

Definition node_holds (n : node) : bool :=
  let e := place n in
  possible g e && negb (in_database e) &&
  match why n with
  | Or choice =>
    side_eqb (to_move e) x &&
    match pick (ordered (successors g e)) choice with
    | Some y => holds_below (rank n) y
    | None => false
    end
  | And => negb (side_eqb (to_move e) x) && forallb (holds_below (rank n)) (successors g e)
  | Leaf _ _ =>
    match replayed n with
    | Some seen =>
      match lookup seen e with Some v => negb (win && (v =? 0)%uint63) | None => false end
    | None => false
    end
  end.

(** The start holds: it is of the database, a node, or lost for the opponent. *)
Definition start_holds (start : packed) : bool :=
  possible g start &&
  if in_database start then suiting start
  else match lookup t start with Some _ => true | None => stuck g x start end.
End Ranks.

(** The nodes and positions of the database that are [mine], by the mask of Black. *)
Definition question_holds (mine : int -> bool) (start : packed) : bool :=
  let t := ranks in
  start_holds t start &&
  forallb (fun n => if mine (black (place n)) then node_holds t n else true) (nodes ev x).
End Question.

(** A value follows from those of successors; for wins, from those of smaller depth. *)
Definition position_holds (g : geometry) (ev : evidence) (win : bool) (e : packed) : bool :=
  if win then settled g (value_of g ev) (depth_of g ev) e else consistent g (value_of g ev) e.

(** The loop is about White to move: twins have the same value for the same reasons. *)
Definition database_holds (g : geometry) (ev : evidence) (win : bool) (mine : int -> bool) : bool :=
  let holds :=
    if win then fun wm bm bk wk => position_holds g ev true (position wm bm bk wk)
    else follows g (table ev) in
  forallb (each_position g mine holds) (cover ev).

(** The boards and games of SPEC.md, 1. *)
Definition is_board (b : board) : bool :=
  (3 <=? rows b) && (rows b <=? 8) && (2 <=? columns b) && (columns b <=? 8) &&
  Nat.even (rows b + columns b).
Definition is_game (b : board) (n : nat) : bool :=
  is_board b && (1 <=? n) && (n <=? Nat.div2 (rows b)).

(** Shards: which of [m] a mask belongs to, by the bits 4 to 33 of a product. *)
Definition shard_of (m : int) (eb : int) : int :=
  ((((eb * 2862933555777941757) << 29) >> 33 * m) >> 30)%uint63.

Definition check_shard (k m : int) (ev : evidence) (start : packed) (c : claim) : bool :=
  let g := make_geometry (of_board ev) in
  let mine eb := (shard_of m eb =? k)%uint63 in
  is_board (of_board ev) &&
  match c with
  | Draw =>
    question_holds g ev Black false mine start &&
    question_holds g ev White false mine start &&
            database_holds g ev false mine
  | DoesNotLose x => question_holds g ev x false mine start && database_holds g ev false mine
  | Wins x => question_holds g ev x true mine start && database_holds g ev true mine
  end.

Definition check (ev : evidence) (start : packed) (c : claim) : bool := check_shard 0 1 ev start c.

(** All but the values of the database: those of a table that somebody else has verified, or that
    is believed. *)
Definition check_proof (ev : evidence) (start : packed) (c : claim) : bool :=
  let g := make_geometry (of_board ev) in
  let all (_ : int) := true in
  is_board (of_board ev) &&
  match c with
  | Draw => question_holds g ev Black false all start && question_holds g ev White false all start
  | DoesNotLose x => question_holds g ev x false all start
  | Wins x => question_holds g ev x true all start
  end.

(** * What is printed *)

(** Square by square, as in a FEN. *)
Definition pieces (b : board) (e : packed) : list (option (side * kind)) :=
  map (fun q => look e (num b q)) (squares b).

(** What an accepted claim says, in the words of Spec.v: of the start of RxC/n, if it is that. *)
Definition stated (b : board) (n : nat) (e : packed) (c : claim) : statement :=
  {| the_board := b;
     the_start := if is_game b n && equal e (start_of b n) then Initial n
       else Fen (to_move e) (pieces b e);
     the_claim := c |}.
