(* SPEC.md, Lemma 2: a move leads to a position of the cover, or takes the last piece. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Cover.
Import ListNotations.
Local Open Scope nat_scope.

Section Successor.
Variable b : board.
Hypothesis fits : small b.
Let g := make_geometry b.
Let bs := map at_bit (cells g).
Let bits_numbers : bs = map (num b) (squares b) := bits_numbers b.
Variable e : packed.
Hypothesis wf : well_formed g e = true.
Variable y : packed.
Hypothesis next : In y (successors g e).
Let s := to_move e.

Lemma mine_theirs : forall i, bit (mine e) i = true -> bit (theirs e) i = true -> False.
Proof.
  intros i. pose proof (disjoint b e wf i). unfold mine, theirs, of_side. destruct (to_move e);
    simpl; tauto.
Qed.

Lemma piece_mine_theirs : forall i, bit (black e lor white e)%uint63 i
  = (bit (mine e) i || bit (theirs e) i)%bool.
Proof.
  intros i. rewrite lor_spec. unfold mine, theirs, of_side. destruct (to_move e); simpl;
    [reflexivity | apply orb_comm].
Qed.

(** What a move does, bit by bit: from [f] to [t], and [tm] is taken. *)
Lemma successor_bits : exists f t tm crown,
  In f bs /\ In t bs /\ to_move y = other s /\ bit (mine e) f = true /\ bit (theirs e) t = false /\
  (f = t \/ bit (mine e) t = false) /\
  (forall i, In i bs -> bit tm i = true -> bit (theirs e) i = true) /\
  (forall i, bit (of_side s y) i
    = ((bit (mine e) i && negb (f =? i)%uint63) || (t =? i)%uint63)%bool) /\
  (forall i, bit (of_side (other s) y) i = (bit (theirs e) i && negb (bit tm i))%bool) /\
  (forall i, bit (kings y) i = ((bit (kings e) i && negb ((f =? i)%uint63 || bit tm i)) ||
    (crown && (t =? i)%uint63))%bool) /\
  (bit (crown_row s g) t = true -> crown = true).
Proof.
  destruct (successors_form b fits e wf y next)
    as [from [k [to [taken [tm [F [T [O [X [TT [A ->]]]]]]]]]]].
  apply (owned_bit b e wf _ _ F) in O. destruct O as [O K].
  assert (NF : (num b from <? digits)%uint63 = true) by (apply num_small; assumption).
  assert (NT : (num b to <? digits)%uint63 = true) by (apply num_small; assumption).
  exists (num b from), (num b to), tm,
    (match k with King => true | Man => bit (crown_row s g) (num b to) end).
  split; [rewrite bits_numbers; apply in_map, F|].
  split; [rewrite bits_numbers; apply in_map, T|].
  split; [unfold moved; fold s; destruct s; reflexivity|].
  split; [exact O|].
  assert (N : piece (unpack b e) to = None -> bit (mine e) (num b to) = false /\
    bit (theirs e) (num b to) = false).
  { intros N. rewrite (piece_p b e) in N by exact T. apply (look_none e) in N.
    rewrite piece_mine_theirs, orb_false_iff in N. exact N. }
  split; [|split; [|split; [|split; [|split; [|split]]]]].
  - destruct X as [X | ->]; [apply N, X|].
    destruct (bit (theirs e) (num b from)) eqn:B; [|reflexivity]. destruct (mine_theirs _ O B).
  - destruct X as [X | ->]; [right; apply N, X | left; reflexivity].
  - intros i I B. rewrite bits_numbers in I. apply in_map_iff in I. destruct I as [q [<- Q]].
    apply (A q Q), TT in B. destruct B as [_ B]. rewrite (piece_p b e) in B by exact Q.
    apply (look_theirs b e wf), B.
  - intros i. unfold moved. fold s. destruct s; simpl;
      rewrite lor_spec, bit_without, !bit_one by assumption; reflexivity.
  - intros i. unfold moved. fold s. destruct s; simpl; apply bit_without.
  - intros i. fold g. set (crown := match k with King => true
      | Man => bit (crown_row s g) (num b to) end).
    assert (E : kings (moved g e k (num b from) (num b to) tm)
      = (without (kings e) (one (num b from) lor tm) lor (if crown then one (num b to)
        else 0))%uint63).
    { unfold moved, crown. fold s. destruct s; reflexivity. }
    rewrite E, lor_spec, bit_without, lor_spec, bit_one by assumption. f_equal.
    destruct crown; [apply bit_one; assumption | apply bit_0].
  - intros C. destruct k; [exact C | reflexivity].
Qed.

Lemma successor_well_formed : well_formed g y = true.
Proof.
  destruct successor_bits as [f [t [tm [crown [F [T [TO [MF [TT [FT [A [M [Th [K C]]]]]]]]]]]]]].
  assert (M' : forall i, bit (black y lor white y)%uint63 i
    = (bit (of_side s y) i || bit (of_side (other s) y) i)%bool).
  { intros i. rewrite lor_spec. destruct s; simpl; [reflexivity | apply orb_comm]. }
  unfold well_formed. rewrite !andb_true_iff, !eqb_spec. split; [split|]; apply bit_ext; intros i.
  - assert (E : bit (black y land white y)%uint63 i
      = (bit (of_side s y) i && bit (of_side (other s) y) i)%bool).
    { rewrite land_spec. destruct s; simpl; [reflexivity | apply andb_comm]. }
    rewrite E, bit_0, M, Th. destruct (t =? i)%uint63 eqn:X.
    + apply eqb_spec in X. subst i. rewrite TT. apply andb_false_r.
    + pose proof (mine_theirs i) as D. destruct (bit (mine e) i), (bit (theirs e) i); simpl;
        try (destruct D; reflexivity); rewrite ?andb_false_r; reflexivity.
  - rewrite land_spec, M', K, M, Th. pose proof (kings_are_pieces b e wf i) as P.
    rewrite <- orb_true_iff, <- lor_spec, piece_mine_theirs, orb_true_iff in P.
    destruct (t =? i)%uint63; [rewrite !orb_true_r; apply andb_true_r|].
    destruct (bit (kings e) i); [|rewrite andb_false_r; reflexivity].
    destruct P as [P|P]; [reflexivity | |]; rewrite P;
      destruct (f =? i)%uint63, (bit tm i), crown, (bit (mine e) i), (bit (theirs e) i);
      reflexivity.
  - rewrite land_spec, M', M, Th. destruct ((bit (mine e) i && negb (f =? i)%uint63) ||
      (t =? i)%uint63 || (bit (theirs e) i && negb (bit tm i)))%bool eqn:X; [|reflexivity].
    change (all g) with (mask_of b (squares b)). simpl. unfold mask_of.
    rewrite <- bits_numbers. apply bit_mask; [apply (bits_small b fits)|].
    rewrite !orb_true_iff, !andb_true_iff in X. destruct X as [[[X _]|X]|[X _]].
    + apply (pieces_in_bits b fits e i wf). rewrite piece_mine_theirs, X. reflexivity.
    + apply eqb_spec in X. subst. exact T.
    + apply (pieces_in_bits b fits e i wf). rewrite piece_mine_theirs, X. apply orb_true_r.
Qed.

Lemma successor_counts : count bs (of_side s y) <= count bs (mine e) /\
  count bs (of_side (other s) y) <= count bs (theirs e).
Proof.
  destruct successor_bits as [f [t [tm [crown [F [T [TO [MF [TT [FT [A [M [Th [K C]]]]]]]]]]]]]].
  pose proof (bits_nodup b fits) as N. unfold count. split.
  - apply Nat.le_trans with (length (t :: filter (fun i => bit (mine e) i && negb (f =? i)%uint63)
      bs)).
    + apply NoDup_incl_length; [apply NoDup_filter, N|]. intros i I. apply filter_In in I.
      rewrite M, orb_true_iff, eqb_spec in I. destruct I as [I [B|B]]; [right | left; exact B].
      apply filter_In. auto.
    + assert (L : length (f :: filter (fun i => bit (mine e) i && negb (f =? i)%uint63) bs)
        <= length (filter (bit (mine e)) bs)); [|exact L].
      apply NoDup_incl_length.
      * constructor; [|apply NoDup_filter, N]. intros I. apply filter_In in I.
        rewrite eqb_refl, andb_false_r in I. destruct I. discriminate.
      * intros i [<-|I]; apply filter_In; [auto|]. apply filter_In in I.
        rewrite andb_true_iff in I. tauto.
  - apply NoDup_incl_length; [apply NoDup_filter, N|]. intros i I. apply filter_In in I.
    rewrite Th, andb_true_iff in I. apply filter_In. tauto.
Qed.

Lemma possible_crowned : forall e', possible g e' = true <-> well_formed g e' = true /\
  forall s' i, bit (of_side s' e') i = true -> bit (crown_row s' g) i = true ->
    bit (kings e') i = true.
Proof.
  intros e'. split.
  - intros P. split; [unfold possible in P; rewrite andb_true_iff in P; apply P|].
    intros [] i; apply (crowned_kings b), P.
  - intros [W H]. unfold possible. rewrite W, !andb_true_iff, !eqb_spec.
    split; [reflexivity|]. split; apply bit_ext; intros i; rewrite bit_0, land_spec, bit_without.
    + specialize (H Black i). cbn [of_side crown_row] in H.
      destruct (bit (black e') i), (bit (crown_black g) i),
        (bit (kings e') i); try reflexivity. discriminate H; reflexivity.
    + specialize (H White i). cbn [of_side crown_row] in H.
      destruct (bit (white e') i), (bit (crown_white g) i),
        (bit (kings e') i); try reflexivity. discriminate H; reflexivity.
Qed.

Lemma successor_possible : possible g e = true -> possible g y = true.
Proof.
  intros P. apply possible_crowned in P. destruct P as [_ P]. apply possible_crowned.
  split; [exact successor_well_formed|].
  destruct successor_bits as [f [t [tm [crown [F [T [TO [MF [TT [FT [A [M [Th [K C]]]]]]]]]]]]]].
  assert (S : forall s' i, bit (of_side s' e) i = true -> In i bs).
  { intros s' i B. apply (pieces_in_bits b fits e i wf). rewrite lor_spec.
    destruct s'; simpl in B; rewrite B; [reflexivity | apply orb_true_r]. }
  assert (D : forall s', s' = s \/ s' = other s) by (intros []; destruct s; auto).
  intros s' i B R. rewrite K. destruct (D s') as [-> | ->].
  - rewrite M in B. destruct (t =? i)%uint63 eqn:X.
    + apply eqb_spec in X. subst i. rewrite (C R). apply orb_true_r.
    + rewrite orb_false_r, andb_true_iff, negb_true_iff in B. destruct B as [B ->].
      rewrite (P s i B R). destruct (bit tm i) eqn:Y; [|reflexivity].
      destruct (mine_theirs i B (A i (S _ _ B) Y)).
  - rewrite Th, andb_true_iff, negb_true_iff in B. destruct B as [B ->].
    rewrite (P _ i B R). destruct (f =? i)%uint63 eqn:X; [|reflexivity].
    apply eqb_spec in X. subst i. destruct (mine_theirs f MF B).
Qed.

Theorem successor_in_cover : forall cover, in_cover g cover e = true ->
  (mine y =? 0)%uint63 = true \/ in_cover g cover y = true.
Proof.
  intros cover I. destruct (mine y =? 0)%uint63 eqn:Z; [auto|]. right. unfold in_cover in *.
  rewrite !andb_true_iff in *. destruct I as [[E _] P]. split; [split|].
  - apply existsb_exists in E. destruct E as [c [I E]]. apply existsb_exists. exists c.
    split; [exact I|]. unfold fits_in in *. fold bs in E |- *.
    rewrite !andb_true_iff, !Nat.leb_le in *. pose proof successor_counts as [L L'].
    unfold s, mine, theirs in L, L'. destruct (to_move e); simpl in L, L'; lia.
  - destruct successor_bits as [f [t [tm [crown [F [T [TO [MF [TT [FT [A [M [Th [K C]]]]]]]]]]]]]].
    assert (N : (of_side s y =? 0)%uint63 = false).
    { destruct (of_side s y =? 0)%uint63 eqn:Y; [|reflexivity]. apply eqb_spec in Y.
      specialize (M t). rewrite Y, bit_0, eqb_refl, orb_true_r in M. discriminate. }
    unfold mine in Z. rewrite TO in Z. destruct s; simpl in N, Z; rewrite N, Z; reflexivity.
  - apply successor_possible, P.
Qed.
End Successor.
