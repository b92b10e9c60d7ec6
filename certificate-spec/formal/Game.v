(* Claims about positions that are bit masks: packing, closed sets and wins. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Plans Squares Rules Jumps Moves.
Import ListNotations.
Local Open Scope nat_scope.

(** * Positions that agree everywhere have the same moves and the same outcome *)

Lemma same_sym : forall p p', same p p' -> same p' p.
Proof. intros p p' [T P]. split; [symmetry; exact T | intros q; symmetry; apply P]. Qed.

Lemma same_trans : forall p q r, same p q -> same q r -> same p r.
Proof. intros p q r [T P] [U Q]. split; [congruence|]. intros x. rewrite P. apply Q. Qed.

Lemma jump_same : forall b p p0 from k taken q over q', same p p0 ->
  jump b p from k taken q over q' -> jump b p0 from k taken q over q'.
Proof. intros b p p0 from k taken q over q' [T P]. unfold jump. rewrite T, !P. auto. Qed.

Lemma jumps_same : forall b p p0 from k taken q taken' to, same p p0 ->
  jumps b p from k taken q taken' to -> jumps b p0 from k taken q taken' to.
Proof.
  intros b p p0 from k taken q taken' to E K.
  induction K as [taken q N | taken q over q' taken' to J K IH].
  - apply jumps_end. intros over q' J. apply (N over q'). apply (jump_same _ p0);
      [apply same_sym, E | exact J].
  - apply jumps_on with over q'; [apply (jump_same _ p); assumption | exact IH].
Qed.

Lemma result_same_left : forall b p p0 p' from to taken k, same p p0 ->
  result b p p' from to taken k -> result b p0 p' from to taken k.
Proof.
  intros b p p0 p' from to taken k [T P] [A [B [C D]]]. unfold result. rewrite <- T.
  split; [exact A|]. split; [exact B|]. split; [exact C|]. intros q N I. rewrite <- P. auto.
Qed.

Lemma move_same : forall b p p0 p', same p p0 -> move b p p' -> move b p0 p'.
Proof.
  intros b p p0 p' E M. pose proof (result_same_left b p p0 p') as R0.
  pose proof E as [T P].
  destruct M as [from k over q taken to O F J K R | from k to N O F S B X R].
  - apply capture with from k over q taken to; auto.
    + unfold own. rewrite <- T, <- P. exact O.
    + apply (jump_same _ p); assumption.
    + apply (jumps_same _ p); assumption.
  - apply quiet with from k to; auto.
    + intros q k' over q' O' Q J. apply (N q k' over q'); [|exact Q|].
      * unfold own. rewrite T, P. exact O'.
      * apply (jump_same _ p0); [apply same_sym, E | exact J].
    + unfold own. rewrite <- T, <- P. exact O.
    + rewrite <- T. exact S.
    + rewrite <- P. exact X.
Qed.

Section Board.
Variable b : board.
Hypothesis fits : small b.
Let g := make_geometry b.

(** * Packing is the inverse of unpacking *)

Definition holds_piece (f : side * kind -> bool) (p : position) (q : square) : bool :=
  match piece p q with Some x => f x | None => false end.
Definition set_of (f : side * kind -> bool) (p : position) : int :=
  mask_of b (filter (holds_piece f p) (squares b)).
Definition pack (p : position) : packed :=
  {| black := set_of (fun x => side_eqb (fst x) Black) p;
     white := set_of (fun x => side_eqb (fst x) White) p;
     kings := set_of (fun x => match snd x with King => true | Man => false end) p;
     to_move := turn p |}.

Lemma pack_same : forall p p', same p p' -> pack p = pack p'.
Proof.
  intros p p' [T P]. unfold pack, set_of. rewrite T.
  f_equal; f_equal; apply filter_ext; intros q; unfold holds_piece; rewrite P; reflexivity.
Qed.

Lemma set_of_unpack : forall e f x, within b x ->
  (forall i, match look e i with Some y => f y | None => false end = bit x i) ->
    set_of f (unpack b e) = x.
Proof.
  intros e f x W E.
  assert (I : incl (filter (holds_piece f (unpack b e)) (squares b)) (squares b)).
  { intros y Y. apply filter_In in Y. apply Y. }
  apply (within_ext b fits); [apply within_mask_of; assumption | exact W |].
  intros q Q. apply eq_true_iff_eq. unfold set_of. rewrite bit_mask_of by assumption.
  rewrite filter_In. unfold holds_piece. simpl.
  pose proof Q as S. apply is_square_spec in S. rewrite S, E. tauto.
Qed.

Lemma well_formed_within : forall e, well_formed g e = true ->
  within b (black e) /\ within b (white e) /\ within b (kings e).
Proof.
  intros e W. unfold well_formed in W. rewrite !andb_true_iff, !eqb_spec in W.
  destruct W as [[_ K] A].
  change (all g) with (mask_of b (squares b)) in A. unfold within.
  assert (G : forall x, (forall i, bit x i = true -> bit (black e lor white e)%uint63 i = true) ->
    (x land mask_of b (squares b))%uint63 = x).
  { intros x X. apply bit_ext. intros i. rewrite land_spec. destruct (bit x i) eqn:B;
    [|reflexivity]. simpl.
    apply X in B. rewrite <- A, land_spec, andb_true_iff in B. apply B. }
  repeat split; apply G; intros i B.
  - rewrite lor_spec, B. reflexivity.
  - rewrite lor_spec, B. apply orb_true_r.
  - rewrite <- K, land_spec, andb_true_iff in B. apply B.
Qed.

Theorem pack_unpack : forall e, well_formed g e = true -> pack (unpack b e) = e.
Proof.
  intros e W. destruct (well_formed_within e W) as [B [H K]].
  pose proof (disjoint b e W) as D. pose proof (kings_are_pieces b e W) as P.
  destruct e as [eb ew ek et]. unfold pack. cbn [black white kings to_move turn unpack] in *.
  f_equal; apply set_of_unpack; try assumption; intros i; unfold look, kind_at;
    cbn [black white kings];
    specialize (D i); specialize (P i);
    destruct (bit eb i) eqn:E1, (bit ew i) eqn:E2, (bit ek i) eqn:E3;
    simpl; try reflexivity; try (destruct (D eq_refl eq_refl));
    destruct (P eq_refl); discriminate.
Qed.

(** Different masks are different positions. *)
Corollary unpack_inj : forall e e', well_formed g e = true -> well_formed g e' = true ->
  same (unpack b e) (unpack b e') -> e = e'.
Proof. intros e e' W W' S. apply pack_same in S. rewrite !pack_unpack in S by assumption. exact S.
Qed.

(** * Closed sets *)

Variable x : side.

(** What SPEC.md, 2.2, asks of a position of a closed set; [cl] says what is in the set. *)
Definition goes_on (cl : packed -> bool) (e : packed) : bool :=
  if side_eqb (to_move e) x then existsb cl (successors g e) else forallb cl (successors g e).

Theorem closed_set : forall cl,
  (forall e, cl e = true -> well_formed g e = true /\ goes_on cl e = true) ->
  forall e p, cl e = true -> same p (unpack b e) -> NotLost b x p.
Proof.
  intros cl C e0 p0 C0 S0.
  set (choice := fun e => match find cl (successors g e) with Some e' => e' | None => e end).
  assert (P : forall e, cl e = true -> forall q, same q (unpack b e) -> pack q = e).
  { intros e E q S. rewrite (pack_same _ _ S). apply pack_unpack. apply C. exact E. }
  apply (closed_not_lost b x (fun q => exists e, cl e = true /\ same q (unpack b e))
           (fun q => unpack b (choice (pack q)))).
  - intros q [e [E S]] T. rewrite (P e E q S). destruct (C e E) as [W G]. unfold goes_on in G.
    assert (T' : side_eqb (to_move e) x = true).
    { apply side_eqb_spec. destruct S as [U _]. simpl in U. congruence. }
    rewrite T' in G. apply existsb_exists in G. destruct G as [e1 [I1 E1]].
    unfold choice. destruct (find cl (successors g e)) as [e'|] eqn:F.
    + apply find_some in F. destruct F as [I E'].
      assert (S' : same (unpack b e') (unpack b e')) by (split; reflexivity).
      split; [|exists e'; auto].
      apply (move_same b (unpack b e)); [apply same_sym, S|].
      apply (successors_moves b fits e W). exists e'. auto.
    + pose proof (find_none _ _ F _ I1). congruence.
  - intros q q' [e [E S]] T M. destruct (C e E) as [W G]. unfold goes_on in G.
    assert (T' : side_eqb (to_move e) x = false).
    { destruct S as [U _]. simpl in U. rewrite <- U, T. destruct x; reflexivity. }
    rewrite T', forallb_forall in G. apply (move_same b _ (unpack b e)) in M; [|exact S].
    apply (successors_moves b fits e W) in M. destruct M as [e' [I S']]. exists e'. auto.
  - exists e0. auto.
Qed.

(** * Wins *)

Definition wins (e : packed) : Prop := forall p, same p (unpack b e) -> Win b x p.

Lemma wins_mine : forall e e', well_formed g e = true -> to_move e = x -> In e' (successors g e) ->
  wins e' -> wins e.
Proof.
  intros e e' W T I N p S. apply win_mine with (unpack b e').
  - destruct S as [U _]. simpl in U. congruence.
  - apply (move_same b (unpack b e)); [apply same_sym, S|]. apply (successors_moves b fits e W).
    exists e'. split; [exact I | split; reflexivity].
  - apply N. split; reflexivity.
Qed.

Lemma wins_theirs : forall e, well_formed g e = true -> to_move e = other x ->
  (forall e', In e' (successors g e) -> wins e') -> wins e.
Proof.
  intros e W T N p S. apply win_theirs.
  - destruct S as [U _]. simpl in U. congruence.
  - intros p' M. apply (move_same b _ (unpack b e)) in M; [|exact S].
    apply (successors_moves b fits e W) in M. destruct M as [e' [I S']]. exact (N e' I p' S').
Qed.

(** One step towards a win, when [won] is known to be won. *)
Theorem wins_step : forall (won : packed -> bool), (forall e, won e = true -> wins e) ->
  forall e, well_formed g e = true -> goes_on won e = true -> wins e.
Proof.
  intros won N e W G. unfold goes_on in G. destruct (side_eqb (to_move e) x) eqn:T.
  - apply side_eqb_spec in T. apply existsb_exists in G. destruct G as [e' [I E]].
    exact (wins_mine e e' W T I (N e' E)).
  - assert (T' : to_move e = other x) by (destruct (to_move e), x; simpl in *; congruence).
    rewrite forallb_forall in G. apply wins_theirs; [exact W | exact T' |]. intros e' I.
    apply N, G, I.
Qed.
End Board.
