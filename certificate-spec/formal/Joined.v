(* Shards that separate runs have checked are a whole check, if their lines agree. *)
From Coq Require Import List Bool ZArith Lia Uint63.
From Draughtproof Require Import Spec Rules Check Soundness.
Import ListNotations.

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
Variable words_of : evidence -> nat -> packed -> claim -> words.
Definition comes_of_a_run (line : partial) : Prop := exists ev n e c,
  said line = words_of ev n e c /\ check_shard (shard line) (shards line) ev e c = true.

(** What BLAKE3 has to do: equal words are of equal evidence. *)
Hypothesis equal_evidence : forall ev n e c ev' n' e' c',
  words_of ev n e c = words_of ev' n' e' c' -> ev = ev' /\ n = n' /\ e = e' /\ c = c'.

Lemma in_turn_has : forall m w lines k, in_turn m w k lines = true ->
  forall i, (to_Z k <= to_Z i)%Z -> (i <? m)%uint63 = true ->
  exists line, In line lines /\ shard line = i /\ shards line = m /\ said line = w.
Proof.
  induction lines as [|line lines IH]; intros k T i L M; simpl in T; apply ltb_spec in M.
  - apply eqb_spec in T. subst. lia.
  - rewrite !andb_true_iff, !eqb_spec in T. destruct T as [[[[K E] N] W] T].
    apply equal_words_eq in W. apply ltb_spec in K.
    destruct (Z.eq_dec (to_Z k) (to_Z i)) as [D|D].
    + apply to_Z_inj in D. exists line. split; [left; reflexivity|]. subst. auto.
    + pose proof (to_Z_bounded i). pose proof (to_Z_bounded k).
      assert (A : to_Z (k + 1) = (to_Z k + 1)%Z).
      { rewrite add_spec. change (to_Z 1) with 1%Z. apply Z.mod_small. lia. }
      destruct (IH (k + 1)%uint63 T i) as [l [I P]]; [lia | apply ltb_spec; lia|].
      exists l. split; [right; exact I | exact P].
Qed.

Theorem joined_means : forall lines w, (forall line, In line lines -> comes_of_a_run line) ->
  joined lines = Some w ->
  exists ev n e c, w = words_of ev n e c /\ means (stated (of_board ev) n e c).
Proof.
  intros [|first lines] w R J; [discriminate|]. unfold joined in J.
  destruct (in_turn (shards first) (said first) 0 (first :: lines)) eqn:T; [|discriminate].
  injection J as <-. pose proof (in_turn_has _ _ _ _ T) as A.
  destruct (R first) as [ev [n [e [c [W C]]]]]; [left; reflexivity|].
  exists ev, n, e, c. split; [exact W|]. apply (shards_means (shards first)).
  - simpl in T. rewrite !andb_true_iff in T. apply T.
  - intros k K. destruct (A k) as [line [I [E [M V]]]];
      [pose proof (to_Z_bounded k); change (to_Z 0) with 0%Z; lia | exact K |].
    destruct (R line I) as [ev' [n' [e' [c' [W' C']]]]].
    destruct (equal_evidence ev n e c ev' n' e' c') as [-> [_ [-> ->]]]; [congruence|].
    rewrite <- E, <- M. exact C'.
Qed.
End Joined.
