(* A proof in parts: a set that is closed but for some positions from which x does not lose, for
   whatever reason. No table, no database: the hypothesis is in the words of Spec.v. *)
From Coq Require Import List Arith Lia Bool Uint63.
From Draughtproof Require Import Spec Plans Squares Rules Jumps Moves Game Perft Cover Successor.
Import ListNotations.

Section Board.
Variable b : board.
Hypothesis fits : small b.
Let g := make_geometry b.
Variable x : side.

Definition good (e : packed) (f : list position -> position) : Prop :=
  forall past p, play b x f (unpack b e) past p -> turn p = x -> move b p (f (p :: past)).
Definition nowhere : position :=
  unpack b {| black := 0; white := 0; kings := 0; to_move := x |}.

(** Finite choice. *)
Lemma plans_of : forall l, (forall e, In e l -> NotLost b x (unpack b e)) ->
  exists F : packed -> list position -> position, forall e, In e l -> good e (F e).
Proof.
  induction l as [|e l IH]; intros H.
  - exists (fun _ _ => nowhere). intros e [].
  - destruct IH as [F HF]; [intros e' I; apply H; right; exact I|].
    destruct (H e (or_introl eq_refl)) as [f Hf].
    exists (fun e' => if equal e e' then f else F e'). intros e' I.
    destruct (equal e e') eqn:E.
    + apply equal_spec in E. subst e'. exact Hf.
    + apply HF. destruct I as [->|I]; [|exact I].
      assert (equal e' e' = true) by (apply equal_spec; reflexivity). congruence.
Qed.

Variables (cl : packed -> bool) (leaves : list packed).
Definition leaf (e : packed) : bool := existsb (equal e) leaves.
Hypothesis closed : forall e, cl e = true -> well_formed g e = true /\
  (leaf e = false -> goes_on b x cl e = true).

Lemma leaf_in : forall e, leaf e = true <-> In e leaves.
Proof.
  intros e. unfold leaf. rewrite existsb_exists. split.
  - intros [y [I E]]. apply equal_spec in E. subst. exact I.
  - intros I. exists e. split; [exact I | apply equal_spec; reflexivity].
Qed.

Section Plan.
Variable F : packed -> list position -> position.
Hypothesis F_good : forall e, In e leaves -> good e (F e).

(** The history, newest first, from the earliest leaf on. *)
Fixpoint since (h : list position) : option (packed * list position) :=
  match h with
  | [] => None
  | p :: past =>
    match since past with
    | Some (e, later) => Some (e, p :: later)
    | None => if leaf (pack b p) then Some (pack b p, [p]) else None
    end
  end.

(** That history as the leaf's own plan has it. *)
Fixpoint history (e : packed) (h : list position) : list position :=
  match h with
  | [] => []
  | p :: past =>
    match history e past with
    | [] => [unpack b e]
    | (q :: _) as h' => (if side_eqb (turn q) x then F e h' else p) :: h'
    end
  end.

Definition choice (e : packed) : packed :=
  match find cl (successors g e) with Some y => y | None => e end.
Definition joint (h : list position) : position :=
  match since h with
  | Some (e, later) => F e (history e later)
  | None => match h with p :: _ => unpack b (choice (pack b p)) | [] => nowhere end
  end.

Lemma packs : forall e p, well_formed g e = true -> same p (unpack b e) -> pack b p = e.
Proof. intros e p W S. rewrite (pack_same b _ _ S). apply pack_unpack; assumption. Qed.

(** What holds along each play: in the set, and no leaf yet; or in a play of the leaf's plan. *)
Definition along (past : list position) (p : position) : Prop :=
  match since (p :: past) with
  | None => exists e, cl e = true /\ same p (unpack b e) /\ leaf e = false
  | Some (e, later) => In e leaves /\
      exists q rest, history e later = q :: rest /\ same p q /\ play b x (F e) (unpack b e) rest q
  end.

Lemma enter : forall past e p, since past = None -> cl e = true -> same p (unpack b e) ->
  along past p.
Proof.
  intros past e p N C S. destruct (closed e C) as [W _]. unfold along. cbn [since]. rewrite N.
  rewrite (packs e p W S). destruct (leaf e) eqn:L.
  - apply leaf_in in L. split; [exact L|]. exists (unpack b e), []. split; [reflexivity|].
    split; [exact S | apply play_start].
  - eauto.
Qed.

Lemma in_set : forall e, cl e = true -> leaf e = false -> side_eqb (to_move e) x = true ->
  cl (choice e) = true /\ In (choice e) (successors g e).
Proof.
  intros e C L T. destruct (closed e C) as [_ G]. specialize (G L). unfold goes_on in G.
  rewrite T in G. apply existsb_exists in G. destruct G as [y [I Y]]. unfold choice.
  destruct (find cl (successors g e)) as [z|] eqn:D; [apply find_some in D; tauto|].
  pose proof (find_none _ _ D _ I). congruence.
Qed.

Lemma joint_moves : forall past p, along past p -> turn p = x -> move b p (joint (p :: past)).
Proof.
  intros past p A T. unfold along in A. unfold joint.
  destruct (since (p :: past)) as [[e later]|] eqn:E.
  - destruct A as [I [q [rest [H [S P]]]]]. rewrite H.
    apply (move_same b q); [apply same_sym, S|]. apply (F_good e I rest q P).
    destruct S as [U _]. congruence.
  - destruct A as [e [C [S L]]]. destruct (closed e C) as [W _]. rewrite (packs e p W S).
    assert (X : side_eqb (to_move e) x = true)
      by (apply side_eqb_spec; destruct S as [U _]; simpl in U; congruence).
    destruct (in_set e C L X) as [_ I]. apply (move_same b (unpack b e)); [apply same_sym, S|].
    apply (successors_moves b fits e W). exists (choice e). split; [exact I | split; reflexivity].
Qed.

Lemma along_step : forall past p p', along past p -> move b p p' ->
  (turn p = x /\ p' = joint (p :: past)) \/ turn p = other x -> along (p :: past) p'.
Proof.
  intros past p p' A M T. unfold along in A.
  destruct (since (p :: past)) as [[e later]|] eqn:E.
  - destruct A as [I [q [rest [H [S P]]]]]. destruct S as [U V].
    assert (N : since (p' :: p :: past) = Some (e, p' :: later)).
    { change (since (p' :: p :: past)) with (match since (p :: past) with
        | Some (e, later) => Some (e, p' :: later)
        | None => if leaf (pack b p') then Some (pack b p', [p']) else None end).
      rewrite E. reflexivity. }
    unfold along. rewrite N. split; [exact I|]. cbn [history]. rewrite H.
    destruct T as [[T J]|T].
    + assert (X : side_eqb (turn q) x = true) by (apply side_eqb_spec; congruence). rewrite X.
      unfold joint in J. rewrite E, H in J. exists p', (q :: rest). subst p'.
      split; [reflexivity|]. split; [split; reflexivity|].
      apply play_mine; [exact P | congruence |]. apply (F_good e I rest q P). congruence.
    + assert (X : side_eqb (turn q) x = false) by (rewrite <- U, T; destruct x; reflexivity).
      rewrite X. exists p', (q :: rest). split; [reflexivity|]. split; [split; reflexivity|].
      apply play_theirs; [exact P | congruence |].
      apply (move_same b p); [split; assumption | exact M].
  - destruct A as [e [C [S L]]]. destruct (closed e C) as [W G]. destruct T as [[T J]|T].
    + assert (X : side_eqb (to_move e) x = true)
        by (apply side_eqb_spec; destruct S as [U _]; simpl in U; congruence).
      apply (enter _ (choice e)); [exact E | exact (proj1 (in_set e C L X)) |].
      subst p'. unfold joint. rewrite E, (packs e p W S). split; reflexivity.
    + specialize (G L). unfold goes_on in G.
      assert (X : side_eqb (to_move e) x = false)
        by (destruct S as [U _]; simpl in U; rewrite <- U, T; destruct x; reflexivity).
      rewrite X, forallb_forall in G.
      apply (move_same b _ (unpack b e)) in M; [|exact S].
      apply (successors_moves b fits e W) in M. destruct M as [y [I S']].
      exact (enter _ y p' E (G y I) S').
Qed.

Lemma along_play : forall start, (exists e, cl e = true /\ same start (unpack b e)) ->
  forall past p, play b x joint start past p -> along past p.
Proof.
  intros start [e [C S]] past p P. induction P as [|past p P IH T M|past p p' P IH T M].
  - exact (enter [] e start eq_refl C S).
  - apply along_step; auto.
  - apply along_step; auto.
Qed.
End Plan.

(** The theorem. *)
Theorem parts_not_lost : (forall e, In e leaves -> NotLost b x (unpack b e)) ->
  forall e p, cl e = true -> same p (unpack b e) -> NotLost b x p.
Proof.
  intros H e p C S. destruct (plans_of leaves H) as [F HF]. exists (joint F).
  intros past q P T. apply (joint_moves F HF); [|exact T].
  exact (along_play F HF p (ex_intro _ e (conj C S)) past q P).
Qed.
End Board.
