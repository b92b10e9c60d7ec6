(* The positions that a database covers. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves.
Import ListNotations.
Local Open Scope nat_scope.

(** * How many squares a mask has *)

(** Whichever bits [tail0] names: clearing one bit changes the number by one at most. *)
Fixpoint at_most (n : nat) (x : int) : bool :=
  if (x =? 0)%uint63 then true
  else match n with 0 => false | S n' => at_most n' (without x (one (tail0 x))) end.

Lemma bit_one_only : forall i j, bit (one i) j = true -> j = i.
Proof.
  intros i j B. destruct (i <? digits)%uint63 eqn:L.
  - rewrite bit_one in B by exact L. apply eqb_spec in B. congruence.
  - unfold one in B. rewrite bit_lsl in B.
    destruct (j <? i)%uint63 eqn:J; [discriminate|]. destruct (digits <=? j)%uint63 eqn:D;
      [discriminate|].
    exfalso. apply not_true_iff_false in L, J, D. apply L. apply ltb_spec.
    rewrite leb_spec in D. rewrite ltb_spec in J. lia.
Qed.

Lemma at_most_spec : forall n x, at_most n x = true ->
  exists l, length l <= n /\ forall i, bit x i = true -> In i l.
Proof.
  induction n as [|n IH]; intros x A; simpl in A; destruct (x =? 0)%uint63 eqn:Z.
  1, 3: apply eqb_spec in Z; subst x; exists []; split; [simpl; lia | intros i B;
          rewrite bit_0 in B; discriminate].
  - discriminate.
  - destruct (IH _ A) as [l [L I]]. exists (tail0 x :: l). split; [simpl; lia|]. intros i B.
    destruct (bit (one (tail0 x)) i) eqn:O.
    + apply bit_one_only in O. left. symmetry. exact O.
    + right. apply I. rewrite bit_without, B, O. reflexivity.
Qed.

(** * Positions of a board, and those of a cover *)

(** A clause: at most so many pieces, and so many a side. *)
Definition clause := (nat * nat)%type.

(** SPEC.md, 1.1: no man stands where it would have been crowned. *)
Definition possible (g : geometry) (e : packed) : bool :=
  well_formed g e &&
  ((without (black e) (kings e) land crown_black g =? 0) &&
    (without (white e) (kings e) land crown_white g =? 0))%uint63.

Definition admits (e : packed) (c : clause) : bool :=
  at_most (snd c) (black e) && at_most (snd c) (white e) &&
    at_most (fst c) (black e lor white e)%uint63.

Definition covered (g : geometry) (cover : list clause) (e : packed) : bool :=
  existsb (admits e) cover && negb ((black e =? 0) || (white e =? 0))%uint63 && possible g e.

(** The number of bits of a list that a mask has, and a cover in terms of it: [covered] says so
    quickly. *)
Definition count (is : list int) (x : int) : nat := length (filter (bit x) is).
Definition fits_in (g : geometry) (e : packed) (c : clause) : bool :=
  let bs := map at_bit (cells g) in
  (count bs (black e) <=? snd c) && (count bs (white e) <=? snd c) &&
    (count bs (black e) + count bs (white e) <=? fst c).
Definition in_cover (g : geometry) (cover : list clause) (e : packed) : bool :=
  existsb (fits_in g e) cover && negb ((black e =? 0) || (white e =? 0))%uint63 && possible g e.

(** * The mask of a list of bits *)

Definition gather (l : list int) (acc : int) : int := fold_left (fun a i => a lor one i)%uint63 l
  acc.

Lemma bit_gather : forall l acc j, (forall i, In i l -> (i <? digits)%uint63 = true) ->
  (bit (gather l acc) j = true <-> bit acc j = true \/ In j l).
Proof.
  induction l as [|i l IH]; intros acc j H; simpl; [tauto|].
  rewrite IH by (intros k K; apply H; right; exact K).
  rewrite lor_spec, orb_true_iff, bit_one by (apply H; left; reflexivity).
  rewrite eqb_spec. tauto.
Qed.

Lemma filter_lor_length : forall x y is, (forall i, bit x i = true -> bit y i = true -> False) ->
  count is (x lor y)%uint63 = count is x + count is y.
Proof.
  unfold count. intros x y is D. induction is as [|i is IH]; simpl; [reflexivity|].
  rewrite lor_spec. specialize (D i). destruct (bit x i), (bit y i); simpl; rewrite ?IH; lia.
Qed.

Lemma at_most_length : forall n x is, NoDup is -> at_most n x = true -> count is x <= n.
Proof.
  intros n x is N A. destruct (at_most_spec _ _ A) as [l [L I]].
  apply Nat.le_trans with (length l); [|exact L]. apply NoDup_incl_length.
  - apply NoDup_filter, N.
  - intros i F. apply filter_In in F. apply I, F.
Qed.

(** * Squares of a board *)

Section Board.
Variable b : board.
Hypothesis fits : small b.
Let g := make_geometry b.
Let bs := map at_bit (cells g).

Lemma bits_numbers : bs = map (num b) (squares b).
Proof. unfold bs, g. simpl. rewrite map_map. reflexivity. Qed.

Lemma bits_nodup : NoDup bs.
Proof.
  rewrite bits_numbers. pose proof (squares_nodup b) as N.
  assert (G : forall l, incl l (squares b) -> NoDup l -> NoDup (map (num b) l)).
  { induction l as [|q l IH]; intros L D; [constructor|]. inversion D as [|? ? Q D'];
    subst. simpl. constructor.
    - intros I. apply in_map_iff in I. destruct I as [q' [E I]].
      apply (num_inj b fits) in E; [subst; contradiction | apply L; right; exact I | apply L; left;
        reflexivity].
    - apply IH; [intros y Y; apply L; right; exact Y | exact D']. }
  apply G; [apply incl_refl | exact N].
Qed.

Lemma bits_small : forall i, In i bs -> (i <? digits)%uint63 = true.
Proof.
  intros i I. rewrite bits_numbers in I. apply in_map_iff in I. destruct I as [q [<- Q]].
  apply num_small; assumption.
Qed.

Lemma pieces_in_bits : forall e i, well_formed g e = true ->
  bit (black e lor white e)%uint63 i = true -> In i bs.
Proof.
  intros e i W B. unfold well_formed in W. rewrite !andb_true_iff, !eqb_spec in W.
  destruct W as [_ A].
  destruct (within_bit b fits _ i A B) as [q [Q ->]]. rewrite bits_numbers. apply in_map, Q.
Qed.

(** No man stands on the last row. *)
Lemma crowned_kings : forall e i, possible g e = true ->
  (bit (black e) i = true -> bit (crown_black g) i = true -> bit (kings e) i = true) /\
  (bit (white e) i = true -> bit (crown_white g) i = true -> bit (kings e) i = true).
Proof.
  intros e i P. unfold possible in P. rewrite !andb_true_iff, !eqb_spec in P.
  destruct P as [_ [B W]]. split; intros X C; destruct (bit (kings e) i) eqn:K; try reflexivity.
  - assert (bit (without (black e) (kings e) land crown_black g)%uint63 i = true)
      by (rewrite land_spec, bit_without, X, C, K; reflexivity).
    rewrite B, bit_0 in H. discriminate.
  - assert (bit (without (white e) (kings e) land crown_white g)%uint63 i = true)
      by (rewrite land_spec, bit_without, X, C, K; reflexivity).
    rewrite W, bit_0 in H. discriminate.
Qed.

Lemma covered_in_cover : forall cover e, covered g cover e = true -> in_cover g cover e = true.
Proof.
  intros cover e C. unfold covered in C. unfold in_cover. rewrite !andb_true_iff in *.
  destruct C as [[A N] P]. split; [split|]; [|exact N | exact P].
  apply existsb_exists in A. destruct A as [c [I A]]. apply existsb_exists. exists c.
  split; [exact I|]. unfold admits in A. rewrite !andb_true_iff in A. destruct A as [[B W] L].
  assert (D : well_formed g e = true)
    by (unfold possible in P; rewrite andb_true_iff in P; apply P).
  unfold fits_in. fold bs. rewrite !andb_true_iff, !Nat.leb_le,
    <- filter_lor_length by apply (disjoint b e D).
  split; [split|]; apply at_most_length; try assumption; apply bits_nodup.
Qed.
End Board.
