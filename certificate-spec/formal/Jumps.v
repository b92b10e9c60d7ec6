(* What stands where in a position that is a mask, and the jumps of one piece: the function
   [jump_ends] gives the ends that the relation [jumps] gives. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules.
Import ListNotations.
Local Open Scope nat_scope.

Section Board.
Variable b : board.
Hypothesis fits : small b.
Let sq := squares b.
Let g := make_geometry b.

(** * Geometry *)

Lemma ways_of_cell : forall s k q, ways_of s k (make_cell b q) = make_ways b s k q.
Proof. intros [] [] q; reflexivity. Qed.

Lemma cell_at_num : forall l q, incl l sq -> In q l ->
  cell_at (map (make_cell b) l) (num b q) = Some (make_cell b q).
Proof.
  induction l as [|x l IH]; intros q L Q; [destruct Q|]. simpl.
  rewrite num_eqb; [|exact fits | apply L; left; reflexivity | apply L; exact Q].
  destruct (same_square x q) eqn:E.
  - apply same_square_spec in E. subst. reflexivity.
  - apply IH.
    + intros y Y. apply L. right. exact Y.
    + destruct Q as [->|Q]; [|exact Q]. rewrite same_square_refl in E. discriminate.
Qed.

Lemma in_steps_from : forall s k q q', In q' (steps_from b s k q) <-> In q' sq /\ step s k q q'.
Proof. intros s k q q'. unfold steps_from. rewrite filter_In, step_b_spec. reflexivity. Qed.

Lemma in_hops_from : forall s k q over q', In (over, q') (hops_from b s k q) <->
  In over sq /\ In q' sq /\ step s k q over /\ step s k over q' /\
  fst q + fst q' = 2 * fst over /\ snd q + snd q' = 2 * snd over.
Proof.
  intros s k q over q'. unfold hops_from. rewrite in_flat_map. split.
  - intros [o [O I]]. apply in_steps_from in O. apply in_map_iff in I.
    destruct I as [t [[= <- <-] I]]. rewrite filter_In, !andb_true_iff, step_b_spec,
      !Nat.eqb_eq in I. tauto.
  - intros [O [Q [A [B [R C]]]]]. exists over. split; [apply in_steps_from; auto|].
    apply in_map_iff. exists q'. split; [reflexivity|].
    rewrite filter_In, !andb_true_iff, step_b_spec, !Nat.eqb_eq. auto.
Qed.

Lemma crown_row_spec : forall s q, In q sq ->
  (bit (crown_row s g) (num b q) = true <-> last_row b s (fst q)).
Proof.
  intros s q Q. destruct s; cbn [crown_row g make_geometry crown_black crown_white];
  (rewrite bit_mask_of; [rewrite filter_In, last_row_b_spec; tauto | exact fits
  | intros x X; apply filter_In in X; apply X | exact Q]).
Qed.

Lemma in_sq_dec : forall q, In q sq \/ ~ In q sq.
Proof.
  intros q. destruct (is_square b q) eqn:E.
  - left. apply is_square_spec, E.
  - right. intros I. apply is_square_spec in I. congruence.
Qed.

(** * One position *)

Variable e : packed.
Hypothesis wf : well_formed g e = true.
Let p := unpack b e.
Let s := to_move e.

Lemma disjoint : forall i, bit (black e) i = true -> bit (white e) i = true -> False.
Proof.
  intros i B W. unfold well_formed in wf. rewrite !andb_true_iff, !eqb_spec in wf.
  destruct wf as [[D _] _].
  assert (E : bit (black e land white e)%uint63 i = true) by (rewrite land_spec, B, W; reflexivity).
  rewrite D, bit_0 in E. discriminate.
Qed.

Lemma kings_are_pieces : forall i, bit (kings e) i = true ->
  bit (black e) i = true \/ bit (white e) i = true.
Proof.
  intros i K. unfold well_formed in wf. rewrite !andb_true_iff, !eqb_spec in wf.
  destruct wf as [[_ D] _]. rewrite <- D, land_spec, lor_spec, andb_true_iff, orb_true_iff in K.
  tauto.
Qed.

Lemma piece_p : forall q, In q sq -> piece p q = look e (num b q).
Proof. intros q Q. apply is_square_spec in Q. unfold p. simpl. rewrite Q. reflexivity. Qed.

Lemma piece_off : forall q, ~ In q sq -> piece p q = None.
Proof.
  intros q Q. unfold p. simpl. destruct (is_square b q) eqn:E; [|reflexivity].
  apply is_square_spec in E. contradiction.
Qed.

Lemma look_mine : forall i k, look e i = Some (s, k) <-> bit (mine e) i = true /\ kind_at e i = k.
Proof.
  intros i k. unfold look, mine, of_side. fold s. pose proof (disjoint i) as D.
  destruct s, (bit (black e) i) eqn:B, (bit (white e) i) eqn:W; split;
    try (intros [= <-]; auto); try (intros [? ?]; subst; congruence); exfalso; auto.
Qed.

Lemma look_theirs : forall i, (exists k, look e i = Some (other s, k)) <-> bit (theirs e) i = true.
Proof.
  intros i. unfold look, theirs, of_side. fold s. pose proof (disjoint i) as D.
  destruct s; simpl; destruct (bit (black e) i) eqn:B, (bit (white e) i) eqn:W; split;
    intros A; try discriminate; try (destruct A; discriminate);
    try (eexists; reflexivity); try reflexivity; exfalso; auto.
Qed.

Lemma look_none : forall i, look e i = None <-> bit (black e lor white e)%uint63 i = false.
Proof.
  intros i. unfold look. rewrite lor_spec.
  destruct (bit (black e) i), (bit (white e) i); simpl; split; congruence.
Qed.

(** * Jumps *)

Section Jumps.
Variables (from : square) (k : kind).
Hypothesis from_in : In from sq.
Let occupied := without (black e lor white e)%uint63 (one (num b from)).

(** A mask and a list of squares that say the same. *)
Definition agree (tm : int) (taken : list square) : Prop :=
  forall q, In q sq -> (bit tm (num b q) = true <-> In q taken).

Lemma agree_nil : agree 0%uint63 [].
Proof. intros q _. rewrite bit_0. simpl. split; [discriminate | tauto]. Qed.

Lemma agree_cons : forall tm taken over, In over sq -> agree tm taken ->
  agree (tm lor one (num b over))%uint63 (over :: taken).
Proof.
  intros tm taken over O A q Q. rewrite lor_spec, orb_true_iff, (A q Q),
    bit_one by (apply num_small; assumption).
  rewrite num_eqb, same_square_spec by assumption. simpl. tauto.
Qed.

Lemma occupied_spec : forall q, In q sq ->
  (bit occupied (num b q) = false <-> piece p q = None \/ q = from).
Proof.
  intros q Q. unfold occupied. rewrite bit_without, piece_p, look_none by exact Q.
  rewrite bit_one by (apply num_small; assumption). rewrite num_eqb by assumption.
  destruct (same_square from q) eqn:E.
  - apply same_square_spec in E. subst. simpl. rewrite andb_false_r. tauto.
  - simpl. rewrite andb_true_r. split; [auto|]. intros [A|A]; [exact A|].
    subst. rewrite same_square_refl in E. discriminate.
Qed.

Lemma jump_spec : forall tm taken q over q', agree tm taken ->
  (jump b p from k taken q over q' <->
   In (over, q') (hops_from b s k q) /\ open (theirs e) occupied tm (numbers b (over, q')) = true).
Proof.
  intros tm taken q over q' A. unfold jump, open, numbers. simpl fst; simpl snd.
  change (turn p) with s. rewrite in_hops_from, !andb_true_iff, !negb_true_iff.
  split.
  - intros [S1 [S2 [R [C [Q' [F [[k' K] N]]]]]]].
    apply in_squares in Q'.
    assert (O : In over sq).
    { destruct (in_sq_dec over) as [I|I]; [exact I|]. rewrite piece_off in K
      by exact I. discriminate. }
    rewrite (piece_p _ O) in K.
    split; [tauto|]. split; [split|].
    + apply look_theirs. eauto.
    + destruct (bit tm (num b over)) eqn:T; [|reflexivity]. apply (A _ O) in T. contradiction.
    + apply occupied_spec; assumption.
  - intros [[O [Q' [S1 [S2 [R C]]]]] [[T N] F]].
    split; [exact S1|]. split; [exact S2|]. split; [exact R|]. split; [exact C|].
    split; [apply in_squares, Q'|]. split; [apply occupied_spec; assumption|].
    split; [rewrite piece_p by exact O; apply look_theirs; exact T|].
    intros I. apply (A _ O) in I. congruence.
Qed.

(** The jumps from [q], as the generator lists them. *)
Definition listed (q : square) (tm : int) : list (int * int) :=
  filter (open (theirs e) occupied tm) (hops (ways_of s k (make_cell b q))).

Lemma in_listed : forall q tm taken x, agree tm taken ->
  (In x (listed q tm) <-> exists over q', x = numbers b (over, q') /\
    jump b p from k taken q over q').
Proof.
  intros q tm taken x A. unfold listed. rewrite ways_of_cell. simpl hops.
  rewrite filter_In, in_map_iff.
  split.
  - intros [[[over q'] [<- I]] O]. exists over, q'. split; [reflexivity|].
    apply (jump_spec tm); auto.
  - intros [over [q' [-> J]]]. apply (jump_spec tm) in J; [|exact A]. destruct J as [I O].
    split; [|exact O]. exists (over, q'). auto.
Qed.

Lemma jump_in : forall taken q over q', jump b p from k taken q over q' -> In over sq /\ In q' sq.
Proof.
  intros taken q over q' J.
  assert (D : exists tm, agree tm taken).
  { exists (mask_of b (filter (fun x => existsb (same_square x) taken) sq)). intros x X.
    rewrite bit_mask_of; [|exact fits | intros y Y; apply filter_In in Y; apply Y | exact X].
    rewrite filter_In, existsb_exists. split.
    - intros [_ [y [Y E]]]. apply same_square_spec in E. subst. exact Y.
    - intros I. split; [exact X|]. exists x. split; [exact I | apply same_square_refl]. }
  destruct D as [tm A]. apply (jump_spec tm) in J; [|exact A]. destruct J as [I _].
  apply in_hops_from in I. tauto.
Qed.

Lemma jump_new : forall taken q over q', jump b p from k taken q over q' -> ~ In over taken.
Proof. intros taken q over q' J. apply J. Qed.

(** Enough fuel: no piece is jumped twice. *)
Definition enough (fuel : nat) (taken : list square) : Prop :=
  NoDup taken /\ incl taken sq /\ length sq < fuel + length taken.

Lemma enough_positive : forall taken, ~ enough 0 taken.
Proof. intros taken [N [I L]]. pose proof (NoDup_incl_length N I). simpl in L. lia. Qed.

Lemma enough_next : forall fuel taken q over q', enough (S fuel) taken ->
  jump b p from k taken q over q' -> enough fuel (over :: taken).
Proof.
  intros fuel taken q over q' [N [I L]] J. destruct (jump_in _ _ _ _ J) as [O _].
  split; [constructor; [apply (jump_new _ _ _ _ J) | exact N]|]. split.
  - intros x [<-|X]; [exact O | apply I, X].
  - simpl. lia.
Qed.

Let ends fuel q tm := jump_ends g fuel s k (theirs e) occupied (num b q) tm.

Lemma jump_ends_step : forall fuel q tm, In q sq ->
  ends (S fuel) q tm = match listed q tm with
    | [] => [(num b q, tm)]
    | h :: more => flat_map (fun x => jump_ends g fuel s k (theirs e) occupied (snd x)
      (tm lor one (fst x))%uint63)
        (h :: more)
    end.
Proof.
  intros fuel q tm Q. unfold ends. simpl jump_ends. simpl cells.
  rewrite cell_at_num; [reflexivity | apply incl_refl | exact Q].
Qed.

Lemma jump_ends_sound : forall fuel q tm taken x, In q sq -> agree tm taken -> enough fuel taken ->
  In x (ends fuel q tm) ->
  exists to taken', jumps b p from k taken q taken' to /\ In to sq /\ fst x = num b to /\
    agree (snd x) taken'.
Proof.
  induction fuel as [|fuel IH]; intros q tm taken x Q A E X; [destruct (enough_positive _ E)|].
  rewrite jump_ends_step in X by exact Q.
  pose proof (fun x => in_listed q tm taken x A) as L.
  destruct (listed q tm) as [|h more].
  - destruct X as [<-|[]]. exists q, taken. repeat split; try assumption.
    + apply jumps_end. intros over q' J. apply (proj2 (L (numbers b (over, q')))). eauto.
    + apply (A q0); assumption. + apply (A q0); assumption.
  - apply in_flat_map in X. destruct X as [y [Y X]]. apply L in Y.
    destruct Y as [over [q' [-> J]]]. simpl fst in X. simpl snd in X.
    destruct (jump_in _ _ _ _ J) as [O Q'].
    destruct (IH q' _ (over :: taken) x Q' (agree_cons _ _ _ O A) (enough_next _ _ _ _ _ E J) X)
      as [to [taken' [K [T [F G]]]]].
    exists to, taken'. split; [|auto]. exact (jumps_on _ _ _ _ _ _ _ _ _ _ J K).
Qed.

Lemma jump_ends_complete : forall taken q taken' to, jumps b p from k taken q taken' to ->
  forall fuel tm, In q sq -> agree tm taken -> enough fuel taken ->
  In to sq /\ exists x, In x (ends fuel q tm) /\ fst x = num b to /\ agree (snd x) taken'.
Proof.
  intros taken q taken' to K.
  induction K as [taken q N | taken q over q' taken' to J K IH]; intros fuel tm Q A E.
  - split; [exact Q|]. destruct fuel as [|fuel]; [destruct (enough_positive _ E)|].
    exists (num b q, tm). split; [|auto]. rewrite jump_ends_step by exact Q.
    pose proof (fun x => in_listed q tm taken x A) as L.
    destruct (listed q tm) as [|h more]; [left; reflexivity|].
    destruct (proj1 (L h) (or_introl eq_refl)) as [over [q' [_ J]]]. destruct (N _ _ J).
  - destruct fuel as [|fuel]; [destruct (enough_positive _ E)|].
    destruct (jump_in _ _ _ _ J) as [O Q'].
    destruct (IH fuel (tm lor one (num b over))%uint63 Q' (agree_cons _ _ _ O A)
      (enough_next _ _ _ _ _ E J))
      as [T [x [X [F G]]]].
    split; [exact T|]. exists x. split; [|auto]. rewrite jump_ends_step by exact Q.
    assert (I : In (numbers b (over, q')) (listed q tm)) by (apply (in_listed _ _ taken); eauto).
    destruct (listed q tm) as [|h more]; [destruct I|].
    apply in_flat_map. exists (numbers b (over, q')). auto.
Qed.
End Jumps.
End Board.
