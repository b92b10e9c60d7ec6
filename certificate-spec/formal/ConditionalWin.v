(* A certificate of winning over a database that is a hypothesis: what Conditional.v is for not
   losing. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Game Perft Seen Cover Successor
  Replay Check Soundness Conditional.
Import ListNotations.
Local Open Scope nat_scope.

Lemma win_same : forall b x p p', Win b x p -> same p p' -> Win b x p'.
Proof.
  intros b x p p' W [T P]. destruct W as [p q U M W | p U H].
  - apply win_mine with q; [congruence | | exact W].
    apply (move_same b p); [split; assumption | exact M].
  - apply win_theirs; [congruence|]. intros q M. apply H.
    apply (move_same b p'); [apply same_sym; split; assumption | exact M].
Qed.

Section Wins.
Variables (g : geometry) (x : side) (clauses : list clause) (ns : list node).

Definition node_ranks : tree := fold_left (fun t n => put t (place n) (rank n)) ns Empty.
Definition lower (ranks : tree) (r : int) (e : packed) : bool :=
  match lookup ranks e with Some r' => (r' <? r)%uint63 | None => false end.
(** A position of the cover that was reached. *)
Definition is_end (ts : list tree) (e : packed) : bool :=
  existsb (fun t => match lookup t e with Some v => (v =? 2)%uint63 | None => false end) ts.

(** A node is completed by its strategy; one of a single move expands itself, and the position where
    the opponent is stuck. *)
Definition node_wins (ranks : tree) (ts : list tree) (n : node) : bool :=
  let completed stated :=
    match replay g x true (covered g clauses) (is_end ts) (lower ranks (rank n)) (place n) stated
      (strategy_of g n) with
    | Some t => match lookup t (place n) with Some v => negb (v =? 0)%uint63 | None => false end
    | None => false
    end in
  match why n with
  | Leaf stated _ => completed stated
  | _ => completed 1%uint63 || completed 2%uint63
  end.
Definition all_win (ts : list tree) (start : packed) : bool :=
  let ranks := node_ranks in
  forallb (node_wins ranks ts) ns &&
  match lookup ranks start with Some _ => true | None => false end.

Lemma node_ranks_nodes : forall e r, lookup node_ranks e = Some r ->
  exists n, In n ns /\ place n = e /\ rank n = r.
Proof.
  intros e r L. apply lookup_in in L. unfold node_ranks in L.
  assert (G : forall l t, in_tree (fold_left (fun t n => put t (place n) (rank n)) l t) e r ->
    (exists n, In n l /\ place n = e /\ rank n = r) \/ in_tree t e r).
  { induction l as [|n l IH]; intros t I; simpl in I; [auto|].
    destruct (IH _ I) as [[m [M E]]|J]; [left; exists m; simpl; tauto|].
    apply put_in in J. destruct J as [[-> ->]|J]; [|auto]. left. exists n. simpl. auto. }
  destruct (G _ _ L) as [E|[]]. exact E.
Qed.
End Wins.

(** If x wins the positions of the cover that are reached, x wins the start. *)
Theorem conditional_win : forall b x clauses ns start ts, small b ->
  all_win (make_geometry b) x clauses ns ts start = true ->
  (forall y, In y (reached ts) -> Win b x (unpack b y)) ->
  forall p, same p (unpack b start) -> Win b x p.
Proof.
  intros b x clauses ns start ts F A H p S. set (g := make_geometry b) in *.
  unfold all_win in A. apply andb_true_iff in A. destruct A as [A B]. rewrite forallb_forall in A.
  assert (E : forall e, is_end ts e = true -> wins b x e).
  { intros e I q Q. unfold is_end in I. apply existsb_exists in I. destruct I as [t [T V]].
    destruct (lookup t e) as [v|] eqn:L; [|discriminate]. apply lookup_in in L.
    apply (win_same b x (unpack b e)); [|apply same_sym, Q].
    exact (H e (in_reached ts t e v T L V)). }
  assert (G : forall e, well_formed g e = true -> goes g x (wins b x) e -> wins b x e).
  { intros e W G. unfold goes in G. destruct (side_eqb (to_move e) x) eqn:T.
    - apply side_eqb_spec in T. destruct G as [y [I Y]]. exact (wins_mine _ F x e y W T I Y).
    - apply (wins_theirs _ F x e W); [destruct (to_move e), x; simpl in *; congruence | exact G]. }
  assert (N : forall m n, In n ns -> Z.to_nat (to_Z (rank n)) < m -> wins b x (place n)).
  { induction m as [|m IH]; intros n I L; [lia|].
    assert (K : forall e, lower (node_ranks ns) (rank n) e = true -> wins b x e).
    { intros e K. unfold lower in K. destruct (lookup (node_ranks ns) e) as [r|] eqn:R;
        [|discriminate].
      apply node_ranks_nodes in R. destruct R as [n' [I' [<- <-]]]. apply IH; [exact I'|].
      apply ltb_spec in K. pose proof (to_Z_bounded (rank n')). lia. }
    assert (C : forall stated,
      match replay g x true (covered g clauses) (is_end ts) (lower (node_ranks ns) (rank n))
        (place n) stated (strategy_of g n) with
      | Some t => match lookup t (place n) with Some v => negb (v =? 0)%uint63 | None => false end
      | None => false
      end = true -> wins b x (place n)).
    { intros stated C. destruct (replay _ _ _ _ _ _ _ _ _) as [t|] eqn:R; [|discriminate].
      destruct (lookup t (place n)) as [v|] eqn:V; [|discriminate]. apply negb_true_iff in C.
      exact (replay_wins _ _ _ _ _ _ (wins b x) G E K eq_refl _ _ _ _ R _ _ V C). }
    specialize (A n I). unfold node_wins in A.
    destruct (why n); [apply orb_true_iff in A; destruct A as [A|A] .. |]; exact (C _ A). }
  destruct (lookup (node_ranks ns) start) as [r|] eqn:R; [|discriminate].
  apply node_ranks_nodes in R. destruct R as [n [I [<- _]]].
  exact (N _ n I (Nat.lt_succ_diag_r _) p S).
Qed.

Corollary conditional_win_placed : forall b x clauses ns start ts, small b ->
  all_win (make_geometry b) x clauses ns ts start = true ->
  (forall y, In y (reached ts) -> Win b x (unpack b y)) ->
  forall p, placed b (to_move start) (pieces b start) p -> Win b x p.
Proof.
  intros b x clauses ns start ts F A H p P.
  exact (conditional_win b x clauses ns start ts F A H p (placed_same b start p P)).
Qed.
