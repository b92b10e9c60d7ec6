(* Successors each once and in ascending order, and their number some plies deep. *)
From Coq Require Import List Arith Bool Uint63 Permutation.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Game.
Import ListNotations.
Local Open Scope nat_scope.

Definition equal (e e' : packed) : bool :=
  ((black e =? black e') && (white e =? white e') && (kings e =? kings e'))%uint63 &&
  side_eqb (to_move e) (to_move e').

Lemma equal_spec : forall e e', equal e e' = true <-> e = e'.
Proof.
  intros [eb ew ek et] [fb fw fk ft]. unfold equal. simpl.
  rewrite !andb_true_iff, !eqb_spec, side_eqb_spec. split.
  - intros [[[-> ->] ->] ->]. reflexivity.
  - intros [= -> -> -> ->]. auto.
Qed.

(** The order of SPEC.md, 1.1, of positions with the same side to move. *)
Definition less (e e' : packed) : bool :=
  ((black e <? black e') || ((black e =? black e') && ((white e <? white e') ||
   ((white e =? white e') && (kings e <? kings e')))))%uint63.

Fixpoint insert (e : packed) (l : list packed) : list packed :=
  match l with [] => [e] | x :: rest => if less e x then e :: l else x :: insert e rest end.

(** Each once, ascending. *)
Fixpoint ordered (l : list packed) : list packed :=
  match l with
  | [] => []
  | x :: rest => if existsb (equal x) rest then ordered rest else insert x (ordered rest)
  end.

Lemma insert_permutation : forall e l, Permutation (e :: l) (insert e l).
Proof.
  induction l as [|x l IH]; simpl; [reflexivity|]. destruct (less e x); [reflexivity|].
  rewrite perm_swap. constructor. exact IH.
Qed.

Lemma in_ordered : forall l e, In e (ordered l) <-> In e l.
Proof.
  induction l as [|x l IH]; intros e; simpl; [reflexivity|]. destruct (existsb (equal x) l) eqn:E.
  - rewrite IH. split; [auto|]. intros [<-|I]; [|exact I].
    apply existsb_exists in E. destruct E as [y [Y Q]]. apply equal_spec in Q. subst. exact Y.
  - split.
    + intros I. apply (Permutation_in _ (Permutation_sym (insert_permutation x (ordered l)))) in I.
      destruct I as [<-|I]; [auto|]. rewrite IH in I. auto.
    + intros I. apply (Permutation_in _ (insert_permutation x (ordered l))). simpl. rewrite IH.
      exact I.
Qed.

Lemma nodup_ordered : forall l, NoDup (ordered l).
Proof.
  induction l as [|x l IH]; simpl; [constructor|]. destruct (existsb (equal x) l) eqn:E;
    [exact IH|].
  apply (Permutation_NoDup (insert_permutation x (ordered l))). constructor; [|exact IH].
  rewrite in_ordered. intros I. rewrite <- not_true_iff_false in E. apply E.
  apply existsb_exists. exists x. split; [exact I | apply equal_spec; reflexivity].
Qed.

(** Positions that can be reached in [d] plies; those reached on different ways count as often. *)
Fixpoint perft (g : geometry) (d : nat) (e : packed) : int :=
  match d with
  | 0 => 1%uint63
  | S d' => fold_left (fun n e' => (n + perft g d' e')%uint63) (ordered (successors g e)) 0%uint63
  end.

(** The start of the game RxC/n. *)
Definition start_of (b : board) (n : nat) : packed :=
  {| black := mask_of b (filter (fun q => fst q <? n) (squares b));
     white := mask_of b (filter (fun q => negb (fst q <? n) && (rows b - n <=? fst q)) (squares b));
     kings := 0%uint63; to_move := Black |}.

Theorem start_of_game : forall b n, small b -> forall p, game_start b n p ->
  same p (unpack b (start_of b n)).
Proof.
  intros b n fits p [T P]. split; [exact T|]. intros q. rewrite P. simpl.
  unfold is_square at 1. destruct (is_square b q) eqn:Q.
  - unfold is_square in Q. rewrite !andb_true_iff in Q. destruct Q as [[R C] O]. rewrite R, C, O.
    simpl.
    assert (I : In q (squares b)) by (apply is_square_spec; unfold is_square; rewrite R, C, O;
      reflexivity).
    unfold look, kind_at. cbn [black white kings start_of]. rewrite bit_0.
    pose proof (bit_mask_of b fits (filter (fun q => fst q <? n) (squares b)) q) as B.
    pose proof (bit_mask_of b fits (filter (fun q => negb (fst q <? n) &&
      (rows b - n <=? fst q)) (squares b)) q) as W.
    rewrite filter_In in B, W.
    assert (F : forall f, incl (filter f (squares b)) (squares b)) by (intros f y Y;
      apply filter_In in Y; apply Y).
    specialize (B (F _) I). specialize (W (F _) I).
    destruct (fst q <? n) eqn:N; simpl in *.
    + rewrite (proj2 B (conj I eq_refl)). reflexivity.
    + destruct (bit (mask_of b (filter (fun q => fst q <? n) (squares b))) (num b q)).
      { destruct (proj1 B eq_refl). discriminate. }
      destruct (rows b - n <=? fst q).
      * rewrite (proj2 W (conj I eq_refl)). reflexivity.
      * destruct (bit _ (num b q)); [|reflexivity]. destruct (proj1 W eq_refl). discriminate.
  - unfold is_square in Q. destruct (fst q <? rows b), (snd q <? columns b),
      (Nat.odd (fst q + snd q));
      simpl in *; try discriminate; reflexivity.
Qed.
