(* Positions as bit masks, and their successors as a function. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares.
Import ListNotations.
Local Open Scope nat_scope.

(** * Positions *)

(** Three sets of squares and the side to move, as in SPEC.md, 1.1. *)
Record packed := { black : int; white : int; kings : int; to_move : side }.

Definition side_eqb (s s' : side) : bool :=
  match s, s' with Black, Black => true | White, White => true | _, _ => false end.

Lemma side_eqb_spec : forall s s', side_eqb s s' = true <-> s = s'.
Proof. intros [] []; simpl; split; congruence. Qed.

Definition of_side (s : side) (e : packed) : int :=
  match s with Black => black e | White => white e end.
Definition mine (e : packed) : int := of_side (to_move e) e.
Definition theirs (e : packed) : int := of_side (other (to_move e)) e.
Definition kind_at (e : packed) (i : int) : kind := if bit (kings e) i then King else Man.

(** What stands on the square of bit [i]. *)
Definition look (e : packed) (i : int) : option (side * kind) :=
  if bit (black e) i then Some (Black, kind_at e i)
  else if bit (white e) i then Some (White, kind_at e i) else None.

(** The position that is meant. *)
Definition unpack (b : board) (e : packed) : position :=
  {| piece := fun q => if is_square b q then look e (num b q) else None; turn := to_move e |}.

(** Positions are functions: those that agree everywhere are the same. *)
Definition same (p p' : position) : Prop := turn p = turn p' /\ forall q, piece p q = piece p' q.

(** * Geometry: from each square, where a step leads, and what is jumped on the way where *)

Record ways := { steps : list int; hops : list (int * int) }.
Record cell := {
  at_bit : int;
  black_man : ways;
  white_man : ways;
  black_king : ways;
  white_king : ways
}.
Definition ways_of (s : side) (k : kind) (c : cell) : ways :=
  match k, s with
  | Man, Black => black_man c | Man, White => white_man c
  | King, Black => black_king c | King, White => white_king c
  end.

Record geometry := {
  cells : list cell;
  all : int;
  crown_black : int;
  crown_white : int;
  unused : int;
  most_jumps : nat
}.
Definition crown_row (s : side) (g : geometry) : int :=
  match s with Black => crown_black g | White => crown_white g end.

Definition forward_b (s : side) (r r' : nat) : bool :=
  match s with Black => r' =? S r | White => r =? S r' end.
Definition step_b (s : side) (k : kind) (q q' : square) : bool :=
  ((snd q' =? S (snd q)) || (snd q =? S (snd q'))) &&
  (forward_b s (fst q) (fst q') ||
   match k with King => forward_b (other s) (fst q) (fst q') | Man => false end).

Lemma forward_b_spec : forall s r r', forward_b s r r' = true <-> forward s r r'.
Proof. intros [] r r'; apply Nat.eqb_eq. Qed.

Lemma step_b_spec : forall s k q q', step_b s k q q' = true <-> step s k q q'.
Proof.
  intros s k q q'. unfold step_b, step, beside.
  rewrite andb_true_iff, !orb_true_iff, !Nat.eqb_eq, forward_b_spec.
  destruct k.
  - split; [intros [A [B|B]] | intros [A [B|[B _]]]]; try discriminate; auto.
  - rewrite forward_b_spec. tauto.
Qed.

Definition last_row_b (b : board) (s : side) (r : nat) : bool :=
  match s with Black => S r =? rows b | White => r =? 0 end.

Lemma last_row_b_spec : forall b s r, last_row_b b s r = true <-> last_row b s r.
Proof. intros b [] r; apply Nat.eqb_eq. Qed.

Definition steps_from (b : board) (s : side) (k : kind) (q : square) : list square :=
  filter (step_b s k q) (squares b).
Definition hops_from (b : board) (s : side) (k : kind) (q : square) : list (square * square) :=
  flat_map (fun over => map (pair over) (filter (fun q' => step_b s k over q'
      && (fst q + fst q' =? 2 * fst over) && (snd q + snd q' =? 2 * snd over)) (squares b)))
    (steps_from b s k q).
Definition numbers (b : board) (h : square * square) : int * int := (num b (fst h), num b (snd h)).
Definition make_ways (b : board) (s : side) (k : kind) (q : square) : ways :=
  {| steps := map (num b) (steps_from b s k q); hops := map (numbers b) (hops_from b s k q) |}.
Definition make_cell (b : board) (q : square) : cell :=
  {| at_bit := num b q;
     black_man := make_ways b Black Man q; white_man := make_ways b White Man q;
     black_king := make_ways b Black King q; white_king := make_ways b White King q |}.
Definition make_geometry (b : board) : geometry :=
  {| cells := map (make_cell b) (squares b);
     all := mask_of b (squares b);
     crown_black := mask_of b (filter (fun q => last_row_b b Black (fst q)) (squares b));
     crown_white := mask_of b (filter (fun q => last_row_b b White (fst q)) (squares b));
     unused := (32 - of_Z (Z.of_nat (length (squares b))))%uint63;
     most_jumps := S (length (squares b)) |}.

Fixpoint cell_at (cs : list cell) (i : int) : option cell :=
  match cs with
  | [] => None
  | c :: rest => if (at_bit c =? i)%uint63 then Some c else cell_at rest i
  end.

(** * Moves *)

(** No square in two sets, no king that is not a piece, nothing off the board. *)
Definition well_formed (g : geometry) (e : packed) : bool :=
  let pieces := (black e lor white e)%uint63 in
  ((black e land white e =? 0) && (kings e land pieces =? kings e) &&
    (pieces land all g =? pieces))%uint63.

(** The position after a piece of kind [k] has gone [from] ... [to] over [taken]. *)
Definition moved (g : geometry) (e : packed) (k : kind) (from to taken : int) : packed :=
  let s := to_move e in
  let mine' := (without (mine e) (one from) lor one to)%uint63 in
  let theirs' := without (theirs e) taken in
  let crown := match k with King => true | Man => bit (crown_row s g) to end in
  let kings' := (without (kings e) (one from lor taken) lor (if crown then one to else 0))%uint63 in
  match s with
  | Black => {| black := mine'; white := theirs'; kings := kings'; to_move := White |}
  | White => {| black := theirs'; white := mine'; kings := kings'; to_move := Black |}
  end.

(** A jump of one enemy piece not jumped before, to a square that is empty. *)
Definition open (enemy occupied taken : int) (h : int * int) : bool :=
  bit enemy (fst h) && negb (bit taken (fst h)) && negb (bit occupied (snd h)).

Section Generator.
Variable g : geometry.

(** Where the jumps that begin on bit [i] end, and all that they have taken by then. *)
Fixpoint jump_ends (fuel : nat) (s : side) (k : kind) (enemy occupied : int) (i taken : int)
  : list (int * int) :=
  match fuel with
  | 0 => []
  | S fuel' =>
    match cell_at (cells g) i with
    | None => []
    | Some c =>
      match filter (open enemy occupied taken) (hops (ways_of s k c)) with
      | [] => [(i, taken)]
      | h :: more =>
        flat_map
          (fun x => jump_ends fuel' s k enemy occupied (snd x) (taken lor one (fst x))%uint63)
                       (h :: more)
      end
    end
  end.

Definition captures_of (e : packed) (c : cell) : list packed :=
  let i := at_bit c in
  if bit (mine e) i then
    let k := kind_at e i in
    let occupied := without (black e lor white e)%uint63 (one i) in
    map (fun x => moved g e k i (fst x) (snd x))
      (flat_map (fun h => jump_ends (most_jumps g) (to_move e) k (theirs e) occupied (snd h)
        (one (fst h)))
        (filter (open (theirs e) occupied 0%uint63) (hops (ways_of (to_move e) k c))))
  else [].

Definition steps_of (e : packed) (c : cell) : list packed :=
  let i := at_bit c in
  if bit (mine e) i then
    let k := kind_at e i in
    map (fun j => moved g e k i j 0%uint63)
      (filter (fun j => negb (bit (black e lor white e)%uint63 j))
        (steps (ways_of (to_move e) k c)))
  else [].

(** The position after each way of moving: where two ways lead to the same position it occurs
    twice. *)
Definition successor_list (e : packed) : list packed :=
  match flat_map (captures_of e) (cells g) with
  | [] => flat_map (steps_of e) (cells g)
  | captures => captures
  end.

(** * The list once more, with no list in between and no look at other cells than the mover's *)

Section Quickly.
Variable e : packed.

Section Piece.
Variables (k : kind) (i : int) (acc : list packed).

Fixpoint add_steps (occupied : int) (js : list int) : list packed :=
  match js with
  | [] => acc
  | j :: rest =>
    let more := add_steps occupied rest in
    if bit occupied j then more else moved g e k i j 0%uint63 :: more
  end.

Fixpoint add_ends (ends : list (int * int)) (more : list packed) : list packed :=
  match ends with [] => more | x :: rest => moved g e k i (fst x) (snd x) :: add_ends rest more end.

Fixpoint add_captures (enemy occupied : int) (hs : list (int * int)) : list packed :=
  match hs with
  | [] => acc
  | h :: rest =>
    let more := add_captures enemy occupied rest in
    if open enemy occupied 0%uint63 h then
      add_ends
        (jump_ends (most_jumps g) (to_move e) k enemy occupied (snd h) (one (fst h))) more
    else more
  end.
End Piece.

Fixpoint all_captures (enemy occupied : int) (cs : list cell) : list packed :=
  match cs with
  | [] => []
  | c :: rest =>
    let i := at_bit c in
    let k := kind_at e i in
    add_captures k i (all_captures enemy occupied rest) enemy (without occupied (one i))
      (hops (ways_of (to_move e) k c))
  end.

Fixpoint all_steps (occupied : int) (cs : list cell) : list packed :=
  match cs with
  | [] => []
  | c :: rest =>
    let i := at_bit c in
    let k := kind_at e i in
    add_steps k i (all_steps occupied rest) occupied (steps (ways_of (to_move e) k c))
  end.

Definition successors : list packed :=
  let own := mine e in
  let occupied := (black e lor white e)%uint63 in
  let movers := filter (fun c => bit own (at_bit c)) (cells g) in
  match all_captures (theirs e) occupied movers with
  | [] => all_steps occupied movers
  | captures => captures
  end.

Lemma add_steps_spec : forall k i acc occupied js, add_steps k i acc occupied js
  = map (fun j => moved g e k i j 0%uint63) (filter (fun j => negb (bit occupied j)) js) ++ acc.
Proof.
  intros k i acc occupied js. induction js as [|j js IH]; [reflexivity|]. simpl. rewrite IH.
  destruct (bit occupied j); reflexivity.
Qed.

Lemma add_ends_spec : forall k i ends more, add_ends k i ends more
  = map (fun x => moved g e k i (fst x) (snd x)) ends ++ more.
Proof.
  intros k i ends more. induction ends as [|x ends IH]; [reflexivity|]. simpl. rewrite IH.
  reflexivity.
Qed.

Lemma add_captures_spec : forall k i acc enemy occupied hs, add_captures k i acc enemy occupied hs
  = map (fun x => moved g e k i (fst x) (snd x))
      (flat_map (fun h => jump_ends (most_jumps g) (to_move e) k enemy occupied (snd h)
        (one (fst h))) (filter (open enemy occupied 0%uint63) hs)) ++ acc.
Proof.
  intros k i acc enemy occupied hs. induction hs as [|h hs IH]; [reflexivity|].
  cbn [add_captures filter]. rewrite IH.
  destruct (open enemy occupied 0%uint63 h); [|reflexivity]. cbn [flat_map].
  rewrite add_ends_spec, map_app, app_assoc. reflexivity.
Qed.

Lemma successors_spec : successors = successor_list e.
Proof.
  unfold successors, successor_list. cbv zeta.
  assert (C : forall cs, all_captures (theirs e) (black e lor white e)%uint63
    (filter (fun c => bit (mine e) (at_bit c)) cs) = flat_map (captures_of e) cs).
  { induction cs as [|c cs IH]; [reflexivity|]. cbn [filter flat_map].
    destruct (bit (mine e) (at_bit c)) eqn:B; unfold captures_of at 1; rewrite B; [|exact IH].
    cbn [all_captures]. rewrite add_captures_spec, IH. reflexivity. }
  assert (S : forall cs, all_steps (black e lor white e)%uint63
    (filter (fun c => bit (mine e) (at_bit c)) cs) = flat_map (steps_of e) cs).
  { induction cs as [|c cs IH]; [reflexivity|]. cbn [filter flat_map].
    destruct (bit (mine e) (at_bit c)) eqn:B; unfold steps_of at 1; rewrite B; [|exact IH].
    cbn [all_steps]. rewrite add_steps_spec, IH. reflexivity. }
  rewrite C, S. reflexivity.
Qed.
End Quickly.
End Generator.
