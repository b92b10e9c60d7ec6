(* The positions that a database covers. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves.
Import ListNotations.
Local Open Scope nat_scope.

(** * How many squares a mask has *)

(** [x land (x - 1)] is [x] without its lowest bit. *)
Fixpoint at_most (n : nat) (x : int) : bool :=
  if (x =? 0)%uint63 then true
  else match n with 0 => false | S n' => at_most n' (x land (x - 1))%uint63 end.

Lemma lowest_bit : forall x, x <> 0%uint63 ->
  exists i, forall j, bit x j = true -> j = i \/ bit (x land (x - 1))%uint63 j = true.
Proof.
  assert (Z : forall n z, (0 < z <= Z.of_nat n)%Z -> exists k, (0 <= k)%Z /\ forall j, (0 <= j)%Z ->
    Z.testbit z j = true -> j = k \/ Z.testbit (z - 1) j = true).
  { induction n as [|n IH]; intros z B; [lia|]. destruct (Z.even z) eqn:E.
    - apply Z.even_spec in E. destruct E as [y ->]. destruct (IH y) as [k [K H]]; [lia|].
      exists (Z.succ k). split; [lia|]. intros j J T. destruct (Z.eq_dec j 0) as [->|N].
      + rewrite Z.testbit_even_0 in T. discriminate.
      + replace j with (Z.succ (Z.pred j)) in T |- * by lia.
        rewrite Z.testbit_even_succ in T by lia. apply H in T; [|lia].
        replace (2 * y - 1)%Z with (2 * (y - 1) + 1)%Z by lia. rewrite Z.testbit_odd_succ by lia.
        destruct T; [left; lia | auto].
    - exists 0%Z. split; [lia|]. intros j J T. destruct (Z.eq_dec j 0) as [->|N]; [auto|]. right.
      assert (O : Z.odd z = true) by (rewrite <- Z.negb_even, E; reflexivity).
      apply Z.odd_spec in O. destruct O as [y ->].
      replace j with (Z.succ (Z.pred j)) in T |- * by lia.
      rewrite Z.testbit_odd_succ in T by lia.
      replace (2 * y + 1 - 1)%Z with (2 * y)%Z by lia. rewrite Z.testbit_even_succ by lia.
      exact T. }
  intros x N. pose proof (to_Z_bounded x) as B.
  assert (P : (0 < to_Z x)%Z).
  { destruct (Z.eq_dec (to_Z x) 0) as [E|E]; [|lia]. destruct N. apply to_Z_inj. exact E. }
  destruct (Z (Z.to_nat (to_Z x)) (to_Z x)) as [k [_ H]]; [lia|].
  exists (of_Z k). intros j J. rewrite land_spec, J. rewrite bitE in J.
  pose proof (to_Z_bounded j) as Bj. apply H in J; [|lia]. destruct J as [<-|J].
  - left. symmetry. apply of_to_Z.
  - right. rewrite bitE, sub_spec. change (to_Z 1) with 1%Z. rewrite Z.mod_small by lia. exact J.
Qed.

Lemma at_most_spec : forall n x, at_most n x = true ->
  exists l, length l <= n /\ forall i, bit x i = true -> In i l.
Proof.
  induction n as [|n IH]; intros x A; simpl in A; destruct (x =? 0)%uint63 eqn:Z.
  1, 3: apply eqb_spec in Z; subst x; exists []; split; [simpl; lia | intros i B;
          rewrite bit_0 in B; discriminate].
  - discriminate.
  - destruct (IH _ A) as [l [L I]]. destruct (lowest_bit x) as [j J].
    { intros E. apply eqb_spec in E. congruence. }
    exists (j :: l). split; [simpl; lia|]. intros i B. destruct (J i B); [left | right]; auto.
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
