(* A table of values, judged position by position: SPEC.md, 8.5. A table is any function. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Game Cover Successor.
Import ListNotations.
Local Open Scope nat_scope.

(** Values are those of the side to move. *)
Inductive value := Lost | Drawn | Won.

Lemma moved_turn : forall g e k from to taken,
  to_move (moved g e k from to taken) = other (to_move e).
Proof. intros g e k from to taken. unfold moved. destruct (to_move e); reflexivity. Qed.

Lemma successors_turn : forall g e e', In e' (successors g e) -> to_move e' = other (to_move e).
Proof.
  intros g e e' I. rewrite successors_spec in I. unfold successor_list in I.
  assert (C : forall e', In e' (flat_map (captures_of g e) (cells g)) ->
    to_move e' = other (to_move e)).
  { intros y Y. apply in_flat_map in Y. destruct Y as [c [_ Y]]. unfold captures_of in Y.
    destruct (bit (mine e) (at_bit c)); [|destruct Y]. apply in_map_iff in Y.
    destruct Y as [z [<- _]].
    apply moved_turn. }
  destruct (flat_map (captures_of g e) (cells g)) as [|y l]; [|apply C, I].
  apply in_flat_map in I. destruct I as [c [_ I]]. unfold steps_of in I.
  destruct (bit (mine e) (at_bit c)); [|destruct I]. apply in_map_iff in I.
  destruct I as [z [<- _]].
  apply moved_turn.
Qed.

Lemma no_piece_no_move : forall g e, (mine e =? 0)%uint63 = true -> successors g e = [].
Proof.
  intros g e Z. apply eqb_spec in Z. rewrite successors_spec. unfold successor_list.
  assert (N : forall f, (forall c, f c = []) -> flat_map f (cells g) = ([] : list packed)).
  { intros f F. induction (cells g) as [|c l IH]; [reflexivity|]. simpl. rewrite F. exact IH. }
  rewrite N; [apply N|]; intros c; [unfold steps_of | unfold captures_of]; rewrite Z, bit_0;
    reflexivity.
Qed.

Section Table.
Variables (g : geometry) (cover : list clause) (table : packed -> value) (depth : packed -> int).

(** The value of a position that one of the cover leads to: it is of the cover, too, or the side to
    move has no piece and has lost (SPEC.md, Lemma 2). *)
Definition judge (e : packed) : value := if (mine e =? 0)%uint63 then Lost else table e.

Definition is (v v' : value) : bool :=
  match v, v' with Lost, Lost => true | Drawn, Drawn => true | Won, Won => true | _, _ => false end.

(** None is lost, and one is drawn, unless one was [found] before. *)
Fixpoint drawn_by (found : bool) (next : list packed) : bool :=
  match next with
  | [] => found
  | y :: rest =>
    match judge y with Lost => false | Drawn => drawn_by true rest | Won => drawn_by found rest end
  end.

(** The value follows from those of the successors. *)
Definition consistent (e : packed) : bool :=
  match table e with
  | Won => existsb (fun y => is Lost (judge y)) (successors g e)
  | Lost => forallb (fun y => is Won (judge y)) (successors g e)
  | Drawn => drawn_by false (successors g e)
  end.

(** Wins and losses follow from those of successors with a smaller depth: none rests on itself. *)
Definition settled (e : packed) : bool :=
  let before y := (depth y <? depth e)%uint63 in
  match table e with
  | Won => existsb (fun y => if (mine y =? 0)%uint63 then true
      else if is Lost (table y) then before y else false) (successors g e)
  | Lost => forallb (fun y => if is Won (judge y) then before y else false) (successors g e)
  | Drawn => true
  end.

(** Whether the value of a position lets it stand in a closed set for [x], or in the set of wins of
    [x]. *)
Definition suits_value (x : side) (win : bool) (e : packed) : bool :=
  match side_eqb (to_move e) x, win, table e with
  | true, false, Lost | false, false, Won => false
  | true, true, v => match v with Won => true | _ => false end
  | false, true, v => match v with Lost => true | _ => false end
  | _, _, _ => true
  end.
Definition suits (x : side) (win : bool) (e : packed) : bool :=
  covered g cover e && suits_value x win e.

(** The opponent is to move, and has no move. *)
Definition stuck (x : side) (e : packed) : bool :=
  well_formed g e && negb (side_eqb (to_move e) x) &&
  match successors g e with [] => true | _ => false end.

Lemma is_spec : forall v v', is v v' = true -> v' = v.
Proof. intros [] []; simpl; congruence. Qed.

Lemma drawn_by_spec : forall next found, drawn_by found next = true ->
  (forall y, In y next -> judge y = Drawn \/ judge y = Won) /\
  (found = true \/ exists y, In y next /\ judge y = Drawn).
Proof.
  induction next as [|z next IH]; intros found D; simpl in D.
  - split; [intros y []|]. auto.
  - destruct (judge z) eqn:J; [discriminate | |]; destruct (IH _ D) as [A B]; split;
      try (intros y [<-|Y]; [auto | apply A, Y]); destruct B as [B|[y [Y B]]]; simpl; eauto 6.
Qed.

Lemma drawn_by_complete : forall next,
  (forall y, In y next -> judge y = Drawn \/ judge y = Won) ->
  (exists y, In y next /\ judge y = Drawn) -> drawn_by false next = true.
Proof.
  assert (T : forall next, (forall y, In y next -> judge y = Drawn \/ judge y = Won) ->
    drawn_by true next = true).
  { induction next as [|z next IH]; intros A; [reflexivity|]. simpl.
    destruct (A z (or_introl eq_refl)) as [-> | ->]; apply IH; intros y Y;
      apply A; right; exact Y. }
  induction next as [|z next IH]; intros A [y [I J]]; [destruct I|]. simpl.
  assert (R : forall y, In y next -> judge y = Drawn \/ judge y = Won)
    by (intros w K; apply A; right; exact K).
  destruct (A z (or_introl eq_refl)) as [E | E]; rewrite E; [apply T, R|].
  apply IH; [exact R|]. destruct I as [<-|I]; [congruence | eauto].
Qed.

Lemma stuck_no_piece : forall x e, (mine e =? 0)%uint63 = true -> well_formed g e = true ->
  side_eqb (to_move e) x = false -> stuck x e = true.
Proof. intros x e Z W T. unfold stuck. rewrite W, T, no_piece_no_move by exact Z. reflexivity. Qed.

Lemma turn_changes : forall x e e', In e' (successors g e) ->
  side_eqb (to_move e') x = negb (side_eqb (to_move e) x).
Proof. intros x e e' I. rewrite (successors_turn _ _ _ I). destruct (to_move e), x; reflexivity.
Qed.

Lemma in_cover_well_formed : forall e, in_cover g cover e = true -> well_formed g e = true.
Proof.
  intros e C. unfold in_cover in C. rewrite !andb_true_iff in C. destruct C as [_ P].
  unfold possible in P. rewrite andb_true_iff in P. apply P.
Qed.
End Table.

Section Board.
Variables (b : board) (cover : list clause) (table : packed -> value).
Variables (depth : packed -> int) (x : side).
Hypothesis fits : small b.
Let g := make_geometry b.

(** A position of the cover that suits by its value. *)
Definition suitable (win : bool) (e : packed) : bool :=
  in_cover g cover e && suits_value table x win e.

Lemma suits_suitable : forall win e, suits g cover table x win e = true -> suitable win e = true.
Proof.
  intros win e S. unfold suits in S. unfold suitable. rewrite andb_true_iff in *.
  destruct S as [C S]. split; [exact (covered_in_cover b fits cover e C) | exact S].
Qed.

(** What a position of the cover leads to. *)
Lemma next_judged : forall e y, in_cover g cover e = true -> In y (successors g e) ->
  ((mine y =? 0)%uint63 = true /\ judge table y = Lost /\
    (side_eqb (to_move e) x = true -> stuck g x y = true)) \/
  ((mine y =? 0)%uint63 = false /\ in_cover g cover y = true /\ judge table y = table y).
Proof.
  intros e y C I. pose proof (in_cover_well_formed _ _ _ C) as W. unfold judge.
  destruct (successor_in_cover b fits e W y I cover C) as [Z|D].
  - left. rewrite Z. split; [reflexivity|]. split; [reflexivity|]. intros T.
    apply stuck_no_piece; [exact Z | exact (successor_well_formed b fits e W y I) |].
    rewrite (turn_changes g x e y I), T. reflexivity.
  - destruct (mine y =? 0)%uint63 eqn:Z; [|auto]. left. split; [reflexivity|].
    split; [reflexivity|]. intros T.
    apply stuck_no_piece; [exact Z | exact (successor_well_formed b fits e W y I) |].
    rewrite (turn_changes g x e y I), T. reflexivity.
Qed.

(** Lemma 4 of SPEC.md. *)
Lemma consistent_closed : forall e, consistent g table e = true -> suitable false e = true ->
  goes_on b x (fun y => suitable false y || stuck g x y) e = true.
Proof.
  intros e C S. unfold suitable in S. rewrite andb_true_iff in S. destruct S as [IC S].
  unfold suits_value in S. unfold goes_on. fold g. unfold consistent in C.
  pose proof (fun y => turn_changes g x e y) as T. pose proof (fun y => next_judged e y IC) as N.
  destruct (side_eqb (to_move e) x) eqn:X; simpl in T.
  - assert (G : forall y v, v <> Won -> In y (successors g e) -> judge table y = v ->
      existsb (fun y => suitable false y || stuck g x y) (successors g e) = true).
    { intros y v V I J. apply existsb_exists. exists y. split; [exact I|]. apply orb_true_iff.
      destruct (N y I) as [[_ [_ K]]|[_ [D K]]]; [right; apply K; reflexivity | left].
      unfold suitable, suits_value. rewrite D, (T y I), <- K, J. destruct v; try reflexivity.
      destruct V; reflexivity. }
    destruct (table e); [discriminate | |].
    + apply drawn_by_spec in C. destruct C as [_ [C|[y [I J]]]]; [discriminate|].
      apply (G y Drawn); [discriminate | exact I | exact J].
    + apply existsb_exists in C. destruct C as [y [I J]]. apply is_spec in J.
      apply (G y Lost); [discriminate | exact I | exact J].
  - apply forallb_forall. intros y I. apply orb_true_iff. left.
    assert (J : judge table y = Drawn \/ judge table y = Won).
    { destruct (table e); [|apply drawn_by_spec in C; apply C, I | discriminate].
      rewrite forallb_forall in C. right. apply is_spec, C, I. }
    destruct (N y I) as [[_ [K _]]|[_ [D K]]]; [destruct J; congruence|].
    unfold suitable, suits_value. rewrite D, (T y I), <- K. destruct J as [-> | ->]; reflexivity.
Qed.

(** * A settled win is a win *)

Lemma wins_stuck : forall e, stuck g x e = true -> wins b x e.
Proof.
  intros e S. unfold stuck in S. rewrite !andb_true_iff in S. destruct S as [[W T] N].
  apply (wins_step b fits x (fun _ => false)); [discriminate | exact W |].
  unfold goes_on. apply negb_true_iff in T. rewrite T. fold g. destruct (successors g e);
    [reflexivity | discriminate].
Qed.

Theorem settled_wins :
  (forall e, in_cover g cover e = true -> settled g table depth e = true) ->
  forall e, suitable true e = true -> wins b x e.
Proof.
  intros S. assert (G : forall n e, (Z.to_nat (to_Z (depth e)) < n)%nat ->
    suitable true e = true -> wins b x e).
  2: { intros e. apply (G (Datatypes.S (Z.to_nat (to_Z (depth e))))). lia. }
  induction n as [|n IH]; intros e L E; [lia|].
  unfold suitable in E. rewrite andb_true_iff in E. destruct E as [C E].
  pose proof (in_cover_well_formed _ _ _ C) as W. pose proof (S e C) as F.
  assert (B : forall y, (depth y <? depth e)%uint63 = true -> suitable true y = true ->
    wins b x y).
  { intros y D Y. apply IH; [|exact Y]. apply ltb_spec in D. pose proof (to_Z_bounded (depth y)).
    lia. }
  apply (wins_step b fits x (fun y => stuck g x y || (suitable true y &&
    (depth y <? depth e)%uint63))).
  - intros y Y. apply orb_true_iff in Y. destruct Y as [Y|Y]; [apply wins_stuck, Y|].
    apply andb_true_iff in Y. apply B; apply Y.
  - exact W.
  - unfold goes_on. fold g. unfold suits_value in E. unfold settled in F.
    pose proof (fun y => turn_changes g x e y) as T. pose proof (fun y => next_judged e y C) as N.
    destruct (side_eqb (to_move e) x) eqn:X; simpl in E, T.
    + destruct (table e); try discriminate. apply existsb_exists in F. destruct F as [y [I F]].
      apply existsb_exists. exists y. split; [exact I|]. apply orb_true_iff.
      destruct (N y I) as [[_ [_ K]]|[Z [D _]]]; [left; apply K; reflexivity | right].
      rewrite Z in F. destruct (is Lost (table y)) eqn:J; [|discriminate]. apply is_spec in J.
      rewrite F, andb_true_r. unfold suitable, suits_value. rewrite D, (T y I), J. reflexivity.
    + destruct (table e); try discriminate. apply forallb_forall. intros y I.
      rewrite forallb_forall in F. specialize (F y I). apply orb_true_iff. right.
      destruct (is Won (judge table y)) eqn:J; [|discriminate]. apply is_spec in J.
      destruct (N y I) as [[_ [K _]]|[_ [D K]]]; [congruence|].
      rewrite F, andb_true_r. unfold suitable, suits_value. rewrite D, (T y I), <- K, J.
      reflexivity.
Qed.
End Board.
