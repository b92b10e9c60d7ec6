(* Search trees from positions to numbers. Nothing is proved of their balance or order: that a
   position that is found was put in is all that is needed, and that one that was put in is
   found. *)
From Coq Require Import List Bool Uint63.
From Draughtproof Require Import Spec Rules Perft.
Import ListNotations.

Inductive tree :=
| Empty
| Fork (left : tree) (hash : int) (key : packed) (value : int) (right : tree).

(** Any function would do; this one keeps trees low. *)
Definition scramble (e : packed) : int :=
  let h := ((black e * 2862933555777941757 + white e) * 3202034522624059733)%uint63 in
  let h := (h lxor kings e)%uint63 in
  let turn := match to_move e with Black => 0%uint63 | White => 1%uint63 end in
  let h := ((h lxor (h >> 29)) * 3935559000370003845 + turn)%uint63 in
  (h lxor (h >> 32))%uint63.

Fixpoint find_at (h : int) (e : packed) (t : tree) : option int :=
  match t with
  | Empty => None
  | Fork l h' e' v r =>
    if equal e e' then Some v else if (h <? h')%uint63 then find_at h e l else find_at h e r
  end.

Fixpoint insert_at (h : int) (e : packed) (v : int) (t : tree) : tree :=
  match t with
  | Empty => Fork Empty h e v Empty
  | Fork l h' e' v' r =>
    if equal e e' then Fork l h' e v r
    else if (h <? h')%uint63 then Fork (insert_at h e v l) h' e' v' r
    else Fork l h' e' v' (insert_at h e v r)
  end.

Definition lookup (t : tree) (e : packed) : option int := find_at (scramble e) e t.
Definition put (t : tree) (e : packed) (v : int) : tree := insert_at (scramble e) e v t.

Fixpoint in_tree (t : tree) (e : packed) (v : int) : Prop :=
  match t with
  | Empty => False
  | Fork l _ e' v' r => (e = e' /\ v = v') \/ in_tree l e v \/ in_tree r e v
  end.

Lemma lookup_in : forall t e v, lookup t e = Some v -> in_tree t e v.
Proof.
  intros t e v. unfold lookup. generalize (scramble e) as h. intros h.
  induction t as [|l IHl h' e' v' r IHr]; simpl; [discriminate|].
  destruct (equal e e') eqn:E.
  - intros [= <-]. apply equal_spec in E. auto.
  - destruct (h <? h')%uint63; auto.
Qed.

Lemma put_in : forall t e v e' v', in_tree (put t e v) e' v' ->
  (e' = e /\ v' = v) \/ in_tree t e' v'.
Proof.
  intros t e v e1 v1. unfold put. generalize (scramble e) as h. intros h.
  induction t as [|l IHl h' e' v' r IHr]; simpl; [tauto|].
  destruct (equal e e') eqn:E; simpl; [tauto|]. destruct (h <? h')%uint63; simpl; tauto.
Qed.

Lemma lookup_put : forall t e v, lookup (put t e v) e = Some v.
Proof.
  intros t e v. unfold lookup, put. generalize (scramble e) as h. intros h.
  assert (R : equal e e = true) by (apply equal_spec; reflexivity).
  induction t as [|l IHl h' e' v' r IHr]; simpl; [rewrite R; reflexivity|].
  destruct (equal e e') eqn:E; simpl; [rewrite R; reflexivity|].
  destruct (h <? h')%uint63 eqn:L; simpl; rewrite E, L; assumption.
Qed.

Lemma lookup_kept : forall t e v e' w, lookup t e' = Some w -> exists w',
  lookup (put t e v) e' = Some w'.
Proof.
  intros t e v e1 w. unfold lookup, put. generalize (scramble e) as h, (scramble e1) as h1.
  intros h h1.
  induction t as [|l IHl h' e' v' r IHr]; simpl; [discriminate|].
  destruct (equal e1 e') eqn:E1.
  - apply equal_spec in E1. subst e1. intros _. destruct (equal e e') eqn:E.
    + apply equal_spec in E. subst e'. simpl. exists v.
      replace (equal e e) with true by (symmetry; apply equal_spec; reflexivity). reflexivity.
    + exists v'. destruct (h <? h')%uint63; simpl;
        replace (equal e' e') with true by (symmetry; apply equal_spec; reflexivity); reflexivity.
  - destruct (equal e e') eqn:E.
    + apply equal_spec in E. subst e'. simpl. rewrite E1. destruct (h1 <? h')%uint63; eauto.
    + destruct (h <? h')%uint63 eqn:L; simpl; rewrite E1; destruct (h1 <? h')%uint63 eqn:L1; eauto.
Qed.
