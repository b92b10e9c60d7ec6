(* A table of values, judged position by position: SPEC.md, 8.5. A table is any function. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Game Cover.
Import ListNotations.
Local Open Scope nat_scope.

(** Values are those of the side to move. *)
Inductive value := Lost | Drawn | Won.

Lemma moved_turn : forall g e k from to taken,
  to_move (moved g e k from to taken) = other (to_move e).
Proof. intros g e k from to taken. unfold moved. destruct (to_move e); reflexivity. Qed.

Lemma successors_turn : forall g e e', In e' (successors g e) -> to_move e' = other (to_move e).
Proof.
  intros g e e' I. unfold successors in I.
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
  intros g e Z. apply eqb_spec in Z. unfold successors.
  assert (N : forall f, (forall c, f c = []) -> flat_map f (cells g) = ([] : list packed)).
  { intros f F. induction (cells g) as [|c l IH]; [reflexivity|]. simpl. rewrite F. exact IH. }
  rewrite N; [apply N|]; intros c; [unfold steps_of | unfold captures_of]; rewrite Z, bit_0;
    reflexivity.
Qed.

Section Table.
Variables (g : geometry) (cover : list clause) (table : packed -> value) (depth : packed -> int).

(** The value that the table gives to a successor: none where it is not covered, and where the side
    to move has no piece it has lost. *)
Definition judge (e : packed) : option value :=
  if (mine e =? 0)%uint63 then if well_formed g e then Some Lost else None
  else if covered g cover e then Some (table e) else None.

Definition is (v : value) (e : packed) : bool :=
  match judge e, v with
  | Some Lost, Lost => true | Some Drawn, Drawn => true | Some Won, Won => true | _, _ => false
  end.

(** The value follows from those of the successors. *)
Definition consistent (e : packed) : bool :=
  let next := successors g e in
  match table e with
  | Won => existsb (is Lost) next
  | Lost => forallb (is Won) next
  | Drawn => forallb (fun y => is Drawn y || is Won y) next && existsb (is Drawn) next
  end.

(** Wins and losses follow from those of successors with a smaller depth: none rests on itself. *)
Definition settled (e : packed) : bool :=
  let before y := ((mine y =? 0) || (depth y <? depth e))%uint63 in
  let next := successors g e in
  match table e with
  | Won => existsb (fun y => is Lost y && before y) next
  | Lost => forallb (fun y => is Won y && before y) next
  | Drawn => true
  end.

(** Whether a position may stand in a closed set for [x] by its value, or in the set of wins of
    [x]. *)
Definition suits (x : side) (win : bool) (e : packed) : bool :=
  covered g cover e &&
  match side_eqb (to_move e) x, win, table e with
  | true, false, Lost | false, false, Won => false
  | true, true, v => match v with Won => true | _ => false end
  | false, true, v => match v with Lost => true | _ => false end
  | _, _, _ => true
  end.

(** The opponent is to move, and has no move. *)
Definition stuck (x : side) (e : packed) : bool :=
  well_formed g e && negb (side_eqb (to_move e) x) &&
  match successors g e with [] => true | _ => false end.

Lemma is_judge : forall v e, is v e = true -> judge e = Some v.
Proof. intros v e. unfold is. destruct (judge e) as [[]|], v; intros; congruence. Qed.

Lemma judge_cases : forall e v, judge e = Some v ->
  (covered g cover e = true /\ table e = v) \/
  ((mine e =? 0)%uint63 = true /\ well_formed g e = true /\ v = Lost).
Proof.
  intros e v. unfold judge. destruct (mine e =? 0)%uint63.
  - destruct (well_formed g e); [|discriminate]. intros [= <-]. auto.
  - destruct (covered g cover e); [|discriminate]. intros [= <-]. auto.
Qed.

Lemma stuck_no_piece : forall x e, (mine e =? 0)%uint63 = true -> well_formed g e = true ->
  side_eqb (to_move e) x = false -> stuck x e = true.
Proof. intros x e Z W T. unfold stuck. rewrite W, T, no_piece_no_move by exact Z. reflexivity. Qed.

Lemma turn_changes : forall x e e', In e' (successors g e) ->
  side_eqb (to_move e') x = negb (side_eqb (to_move e) x).
Proof. intros x e e' I. rewrite (successors_turn _ _ _ I). destruct (to_move e), x; reflexivity.
Qed.

Lemma covered_possible : forall e, covered g cover e = true -> well_formed g e = true.
Proof.
  intros e C. unfold covered in C. rewrite !andb_true_iff in C. destruct C as [_ P].
  unfold possible in P. rewrite andb_true_iff in P. apply P.
Qed.

(** Lemma 4 of SPEC.md. *)
Lemma consistent_closed : forall x e, consistent e = true -> suits x false e = true ->
  if side_eqb (to_move e) x
  then existsb (fun y => suits x false y || stuck x y) (successors g e) = true
  else forallb (fun y => suits x false y || stuck x y) (successors g e) = true.
Proof.
  intros x e C S. unfold suits in S. rewrite andb_true_iff in S. destruct S as [_ S].
  unfold consistent in C.
  pose proof (fun y => turn_changes x e y) as T.
  destruct (side_eqb (to_move e) x) eqn:X; simpl in T.
  - assert (G : forall v, v <> Won -> existsb (is v) (successors g e) = true ->
      existsb (fun y => suits x false y || stuck x y) (successors g e) = true).
    { intros v V E. apply existsb_exists in E. destruct E as [y [I E]]. apply existsb_exists.
      exists y.
      split; [exact I|]. apply is_judge, judge_cases in E. specialize (T y I).
      destruct E as [[E F]|[Z [W _]]].
      - apply orb_true_iff. left. unfold suits. rewrite E, T, F.
        destruct v; [reflexivity | reflexivity | destruct V; reflexivity].
      - apply orb_true_iff. right. apply stuck_no_piece; assumption. }
    destruct (table e); [discriminate | |].
    + rewrite andb_true_iff in C. destruct C as [_ C]. apply (G Drawn); [discriminate | exact C].
    + apply (G Lost); [discriminate | exact C].
  - assert (G : forall y, In y (successors g e) -> is Drawn y = true \/ is Won y = true ->
      suits x false y || stuck x y = true).
    { intros y I E. specialize (T y I). apply orb_true_iff. left. unfold suits. rewrite T.
      destruct E as [E|E]; apply is_judge, judge_cases in E; destruct E as [[E F]|[_ [_ E]]];
        try discriminate;
      rewrite E, F; reflexivity. }
    apply forallb_forall. intros y I.
    destruct (table e); [|rewrite andb_true_iff in C; destruct C as [C _]|discriminate];
      rewrite forallb_forall in C; specialize (C y I); apply (G y I).
    + auto. + apply orb_true_iff in C. exact C.
Qed.
End Table.

(** A settled win is a win. *)
Section Wins.
Variables (b : board) (cover : list clause) (table : packed -> value).
Variables (depth : packed -> int) (x : side).
Hypothesis fits : small b.
Let g := make_geometry b.

Lemma wins_stuck : forall e, stuck g x e = true -> wins b x e.
Proof.
  intros e S. unfold stuck in S. rewrite !andb_true_iff in S. destruct S as [[W T] N].
  apply (wins_step b fits x (fun _ => false)); [discriminate | exact W |].
  unfold goes_on. apply negb_true_iff in T. rewrite T. fold g. destruct (successors g e);
    [reflexivity | discriminate].
Qed.

Theorem settled_wins :
  (forall e, covered g cover e = true -> settled g cover table depth e = true) ->
  forall e, suits g cover table x true e = true -> wins b x e.
Proof.
  intros S. assert (G : forall n e, (Z.to_nat (to_Z (depth e)) < n)%nat ->
    suits g cover table x true e = true -> wins b x e).
  2: { intros e. apply (G (Datatypes.S (Z.to_nat (to_Z (depth e))))). lia. }
  induction n as [|n IH]; intros e L E; [lia|].
  assert (C : covered g cover e = true) by (unfold suits in E; rewrite andb_true_iff in E; apply E).
  pose proof (covered_possible _ _ _ C) as W. pose proof (S e C) as F.
  assert (B : forall y, (depth y <? depth e)%uint63 = true ->
    suits g cover table x true y = true -> wins b x y).
  { intros y D Y. apply IH; [|exact Y]. apply ltb_spec in D. pose proof (to_Z_bounded (depth y)).
    lia. }
  apply (wins_step b fits x (fun y => stuck g x y || (suits g cover table x true y &&
    (depth y <? depth e)%uint63))).
  - intros y Y. apply orb_true_iff in Y. destruct Y as [Y|Y]; [apply wins_stuck, Y|].
    apply andb_true_iff in Y. apply B; apply Y.
  - exact W.
  - unfold goes_on. fold g. unfold suits in E. rewrite C in E. unfold settled in F.
    pose proof (fun y => turn_changes g x e y) as T.
    destruct (side_eqb (to_move e) x) eqn:X; simpl in E, T.
    + destruct (table e); try discriminate. apply existsb_exists in F. destruct F as [y [I F]].
      apply existsb_exists. exists y. split; [exact I|]. specialize (T y I).
      apply andb_true_iff in F. destruct F as [J F]. apply is_judge, judge_cases in J.
      apply orb_true_iff. destruct J as [[J V]|[Z [WY _]]].
      * destruct (mine y =? 0)%uint63 eqn:Z.
        -- left. apply stuck_no_piece; [exact Z | apply (covered_possible _ _ _ J) | exact T].
        -- right. simpl in F. rewrite F, andb_true_r. unfold suits. rewrite J, T, V. reflexivity.
      * left. apply stuck_no_piece; assumption.
    + destruct (table e); try discriminate. apply forallb_forall. intros y I. specialize (T y I).
      rewrite forallb_forall in F. specialize (F y I). apply andb_true_iff in F.
      destruct F as [J F].
      apply orb_true_iff. right. pose proof (is_judge _ _ _ _ _ J) as K.
      destruct (judge_cases _ _ _ _ _ K) as [[V U]|[_ [_ V]]]; [|discriminate].
      unfold judge in K. destruct (mine y =? 0)%uint63; [destruct (well_formed g y); discriminate|].
      simpl in F. rewrite F, andb_true_r. unfold suits. rewrite V, T, U. reflexivity.
Qed.
End Wins.
