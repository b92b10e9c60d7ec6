(* Winning by a plan: what Spec.v defines by induction is that one side has a plan with which it has
   won after a number of moves that is known beforehand. *)
From Coq Require Import List Arith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Moves Game Cover Successor.
Import ListNotations.
Local Open Scope nat_scope.

(** [x] has a plan that always has a move, and no play in which [x] follows it is longer than [n]
    moves: it ends where the other side has none. *)
Definition winning_plan (b : board) (x : side) (start : position) :=
  exists f n,
    (forall past p, play b x f start past p -> turn p = x -> move b p (f (p :: past))) /\
    (forall past p, play b x f start past p -> length past <= n).

Theorem plan_wins : forall b x start, winning_plan b x start -> Win b x start.
Proof.
  intros b x start [f [n [H L]]].
  assert (G : forall m past p, play b x f start past p -> n < length past + m -> Win b x p).
  { induction m as [|m IH]; intros past p P M.
    - pose proof (L _ _ P). lia.
    - destruct (turn p) eqn:T, x;
        try (apply win_mine with (f (p :: past)); [exact T | exact (H _ _ P T) |];
             apply (IH (p :: past)); [apply play_mine; auto | simpl; lia]);
        (apply win_theirs; [exact T|]; intros p' N;
         apply (IH (p :: past)); [apply play_theirs; auto | simpl; lia]). }
  apply (G (S n) [] start); [apply play_start | simpl; lia].
Qed.

Section Board.
Variable b : board.
Hypothesis fits : small b.
Let g := make_geometry b.
Variable x : side.

(** [x] wins within [n] moves, the last of which there is not. *)
Fixpoint won (n : nat) (e : packed) : bool :=
  match n with O => false | S n => goes_on b x (won n) e end.

Lemma won_later : forall n m e, n <= m -> won n e = true -> won m e = true.
Proof.
  induction n as [|n IH]; intros m e L W; [discriminate|]. destruct m as [|m]; [lia|].
  simpl in *. unfold goes_on in *. destruct (side_eqb (to_move e) x).
  - apply existsb_exists in W. apply existsb_exists. destruct W as [e' [I W]].
    exists e'. split; [exact I|]. apply (IH m); [lia | exact W].
  - rewrite forallb_forall in *. intros e' I. apply (IH m); [lia | exact (W e' I)].
Qed.

Lemma won_all : forall l, (forall e, In e l -> exists n, won n e = true) ->
  exists n, forallb (won n) l = true.
Proof.
  induction l as [|e l IH]; intros H; [exists 0; reflexivity|].
  destruct (H e) as [n N]; [left; reflexivity|].
  destruct IH as [m M]; [intros e' I; apply H; right; exact I|].
  exists (n + m). simpl. apply andb_true_iff. split; [apply (won_later n); [lia | exact N]|].
  rewrite forallb_forall in *. intros e' I. apply (won_later m); [lia | exact (M e' I)].
Qed.

Lemma win_won : forall p, Win b x p -> forall e, well_formed g e = true -> same p (unpack b e) ->
  exists n, won n e = true.
Proof.
  intros p W. induction W as [p p' T M W IH | p T M IH]; intros e F A.
  - apply (move_same b _ (unpack b e)) in M; [|exact A].
    apply (successors_moves b fits e F) in M. destruct M as [e' [I A']].
    destruct (IH e' (successor_well_formed b fits e F e' I) A') as [n N].
    exists (S n). simpl. unfold goes_on.
    assert (E : side_eqb (to_move e) x = true).
    { apply side_eqb_spec. destruct A as [U _]. simpl in U. congruence. }
    rewrite E. apply existsb_exists. exists e'. auto.
  - destruct (won_all (successors g e)) as [n N].
    { intros e' I. assert (R : same (unpack b e') (unpack b e')) by (split; reflexivity).
      apply (IH (unpack b e')); [|exact (successor_well_formed b fits e F e' I) | exact R].
      apply (move_same b (unpack b e)); [apply same_sym, A|].
      apply (successors_moves b fits e F). exists e'. auto. }
    exists (S n). simpl. unfold goes_on.
    assert (E : side_eqb (to_move e) x = false).
    { destruct A as [U _]. simpl in U. rewrite <- U, T. destruct x; reflexivity. }
    rewrite E. exact N.
Qed.

(** The plan: [n] moves from the end, a move to a position that is won in one fewer. *)
Definition nearer (n : nat) (e : packed) : packed :=
  match find (won n) (successors g e) with Some e' => e' | None => e end.
Definition plan_of (n : nat) : list position -> position := fun h =>
  match h with
  | q :: past => unpack b (nearer (n - S (length past)) (pack b q))
  | [] => unpack b {| black := 0; white := 0; kings := 0; to_move := x |}
  end.

(** The move of the plan, where [x] wins within [n] moves. *)
Lemma nearer_won : forall n e, well_formed g e = true -> to_move e = x -> won (S n) e = true ->
  In (nearer n e) (successors g e) /\ won n (nearer n e) = true.
Proof.
  intros n e F T W. cbn [won] in W. unfold goes_on in W. apply side_eqb_spec in T.
  rewrite T in W. apply existsb_exists in W. destruct W as [e1 [I1 W1]]. unfold nearer.
  destruct (find (won n) (successors g e)) as [e2|] eqn:D; [exact (find_some _ _ D)|].
  pose proof (find_none _ _ D _ I1). congruence.
Qed.

Lemma plan_moves : forall n past q e, well_formed g e = true -> same q (unpack b e) ->
  plan_of n (q :: past) = unpack b (nearer (n - S (length past)) e).
Proof.
  intros n past q e F A. cbn [plan_of]. rewrite (pack_same b _ _ A), (pack_unpack b fits e F).
  reflexivity.
Qed.

Lemma plan_keeps : forall n p e, well_formed g e = true -> same p (unpack b e) ->
  won n e = true -> forall past q, play b x (plan_of n) p past q ->
  exists e', well_formed g e' = true /\ same q (unpack b e') /\ won (n - length past) e' = true.
Proof.
  intros n p e F A W past q P. induction P as [| past q P IH T M | past q q' P IH T M].
  - exists e. simpl. rewrite Nat.sub_0_r. auto.
  - destruct IH as [e' [F' [A' W']]].
    destruct (n - length past) as [|m] eqn:E; [discriminate|].
    assert (X : to_move e' = x) by (destruct A' as [U _]; simpl in U; congruence).
    destruct (nearer_won m e' F' X W') as [I V].
    assert (N : n - S (length past) = m) by lia. cbn [length].
    rewrite (plan_moves n past q e' F' A'), N. exists (nearer m e').
    split; [exact (successor_well_formed b fits e' F' _ I)|]. split; [split; reflexivity | exact V].
  - destruct IH as [e' [F' [A' W']]].
    destruct (n - length past) as [|m] eqn:E; [discriminate|]. cbn [won] in W'.
    unfold goes_on in W'.
    assert (X : side_eqb (to_move e') x = false).
    { destruct A' as [U _]. simpl in U. rewrite <- U, T. destruct x; reflexivity. }
    rewrite X, forallb_forall in W'. apply (move_same b _ (unpack b e')) in M; [|exact A'].
    apply (successors_moves b fits e' F') in M. destruct M as [e2 [I2 A2]]. exists e2.
    assert (N : n - length (q :: past) = m) by (simpl; lia). rewrite N.
    split; [exact (successor_well_formed b fits e' F' e2 I2)|]. auto.
Qed.

Theorem wins_plan : forall e p, well_formed g e = true -> same p (unpack b e) ->
  Win b x p -> winning_plan b x p.
Proof.
  intros e p F A W. destruct (win_won p W e F A) as [n N].
  pose proof (plan_keeps n p e F A N) as K. exists (plan_of n), n. split.
  - intros past q P T. destruct (K past q P) as [e' [F' [A' W']]].
    destruct (n - length past) as [|m] eqn:E; [discriminate|].
    assert (X : to_move e' = x) by (destruct A' as [U _]; simpl in U; congruence).
    destruct (nearer_won m e' F' X W') as [I _].
    assert (M : n - S (length past) = m) by lia.
    rewrite (plan_moves n past q e' F' A'), M.
    apply (move_same b (unpack b e')); [apply same_sym, A'|].
    apply (successors_moves b fits e' F'). exists (nearer m e').
    split; [exact I | split; reflexivity].
  - intros past q P. destruct (K past q P) as [e' [_ [_ W']]].
    destruct (n - length past) eqn:E; [discriminate | lia].
Qed.
End Board.

Theorem win_iff_plan : forall b x e p, board_exists b -> well_formed (make_geometry b) e = true ->
  same p (unpack b e) -> Win b x p <-> winning_plan b x p.
Proof.
  intros b x e p B F A. split; [|apply plan_wins].
  exact (wins_plan b (exists_small b B) x e p F A).
Qed.
