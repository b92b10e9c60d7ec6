(* Shards that separate runs have checked are a whole check, if their lines agree. *)
From Coq Require Import List Bool ZArith Lia Uint63.
From Draughtproof Require Import Spec Rules Check Soundness.
Import ListNotations.

(** What a run is given, whether it accepts a shard of it, and what it states. *)
Record run := { given : evidence; men_rows : nat; begun : packed; claimed : claim }.
Definition accepts (k m : int) (r : run) : bool := check_shard k m (given r) (begun r) (claimed r).
Definition states (r : run) : statement :=
  stated (of_board (given r)) (men_rows r) (begun r) (claimed r).

Section Joined.
(** What a line says besides the numbers of its shard: the verdict, and the digest of what was
    given. *)
Variable words : Type.
Variable equal_words : words -> words -> bool.

(** The line of shard [shard] of [shards]. *)
Record partial := { shard : int; shards : int; said : words }.

(** The lines are those of shards [k] to [m] - 1 in their order, and all say [w]. *)
Fixpoint in_turn (m : int) (w : words) (k : int) (lines : list partial) : bool :=
  match lines with
  | [] => (k =? m)%uint63
  | line :: later =>
    (k <? m)%uint63 && (shard line =? k)%uint63 && (shards line =? m)%uint63 &&
    equal_words (said line) w && in_turn m w (k + 1)%uint63 later
  end.

(** What the lines say, if they are those of all shards, once each and in their order. *)
Definition joined (lines : list partial) : option words :=
  match lines with
  | [] => None
  | line :: _ => if in_turn (shards line) (said line) 0 lines then Some (said line) else None
  end.

Hypothesis equal_words_eq : forall v w, equal_words v w = true -> v = w.

(** The line of a run: its words were made from what it was given, and it has accepted. *)
Variable words_of : run -> words.
Definition comes_of (line : partial) (r : run) : Prop :=
  said line = words_of r /\ accepts (shard line) (shards line) r = true.

(** Two runs whose words are equal, although one of them accepts a shard and the other does not:
    what BLAKE3 has to make impossible to find. *)
Definition collide (r r' : run) : Prop :=
  words_of r = words_of r' /\ exists k m, accepts k m r = false /\ accepts k m r' = true.

Lemma in_turn_has : forall m w lines k, in_turn m w k lines = true ->
  forall i, (to_Z k <= to_Z i)%Z -> (i <? m)%uint63 = true ->
  exists line, In line lines /\ shard line = i /\ shards line = m.
Proof.
  induction lines as [|line lines IH]; intros k T i L M; simpl in T; apply ltb_spec in M.
  - apply eqb_spec in T. subst. lia.
  - rewrite !andb_true_iff, !eqb_spec in T. destruct T as [[[[K E] N] _] T].
    apply ltb_spec in K.
    destruct (Z.eq_dec (to_Z k) (to_Z i)) as [D|D].
    + apply to_Z_inj in D. exists line. split; [left; reflexivity|]. subst. auto.
    + pose proof (to_Z_bounded i). pose proof (to_Z_bounded k).
      assert (A : to_Z (k + 1) = (to_Z k + 1)%Z).
      { rewrite add_spec. change (to_Z 1) with 1%Z. apply Z.mod_small. lia. }
      destruct (IH (k + 1)%uint63 T i) as [l [I P]]; [lia | apply ltb_spec; lia|].
      exists l. split; [right; exact I | exact P].
Qed.

Lemma in_turn_says : forall m w lines k, in_turn m w k lines = true ->
  forall line, In line lines -> said line = w.
Proof.
  induction lines as [|first lines IH]; intros k T line I; [destruct I|].
  simpl in T. rewrite !andb_true_iff in T. destruct T as [[_ W] T].
  destruct I as [<-|I]; [apply equal_words_eq, W | exact (IH _ T line I)].
Qed.

Lemma its_run : forall lines runs, Forall2 comes_of lines runs -> forall line, In line lines ->
  exists r, In r runs /\ comes_of line r.
Proof.
  intros lines runs F. induction F as [|l r lines runs C F IH]; intros line I; [destruct I|].
  destruct I as [<-|I]; [exists r; split; [left; reflexivity | exact C]|].
  destruct (IH line I) as [r' [I' C']]. exists r'. split; [right; exact I' | exact C'].
Qed.

(** The statement of lines that can be joined holds, or two of their runs collide. *)
Theorem joined_means : forall lines runs w, Forall2 comes_of lines runs ->
  joined lines = Some w ->
  exists r, In r runs /\ w = words_of r /\
    (means (states r) \/ exists r', In r' runs /\ collide r r').
Proof.
  intros [|first lines] runs w R J; [discriminate|]. unfold joined in J.
  destruct (in_turn (shards first) (said first) 0 (first :: lines)) eqn:T; [|discriminate].
  injection J as <-. destruct (its_run _ _ R first (or_introl eq_refl)) as [r [I [W _]]].
  exists r. split; [exact I|]. split; [exact W|].
  destruct (find (fun line => negb (accepts (shard line) (shards line) r)) (first :: lines))
    as [line|] eqn:F.
  - right. apply find_some in F. destruct F as [L N]. apply negb_true_iff in N.
    destruct (its_run _ _ R line L) as [r' [I' [W' A]]]. exists r'. split; [exact I'|].
    pose proof (in_turn_says _ _ _ _ T line L). split; [congruence | eauto].
  - left. apply (shards_means (shards first)).
    + simpl in T. rewrite !andb_true_iff in T. apply T.
    + intros k K. destruct (in_turn_has _ _ _ _ T k) as [line [L [E M]]];
        [pose proof (to_Z_bounded k); change (to_Z 0) with 0%Z; lia | exact K |].
      pose proof (find_none _ _ F line L) as A. apply negb_false_iff in A.
      rewrite E, M in A. exact A.
Qed.
End Joined.
