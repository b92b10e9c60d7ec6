(* What is checked is true. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Game Perft Seen Cover
  Successor Database Turned Loop Replay Check.
Import ListNotations.
Local Open Scope nat_scope.

Section Question.
Variables (ev : evidence) (x : side) (start : packed).
Hypothesis fits : small (of_board ev).
Let g := make_geometry (of_board ev).

Lemma ranks_nodes : forall e r, in_tree (ranks ev x) e r -> exists n, In n (nodes ev x) /\
  place n = e /\ rank n = r.
Proof.
  intros e r. unfold ranks.
  assert (G : forall l t, in_tree (fold_left (fun t n => put t (place n) (rank n)) l t) e r ->
    (exists n, In n l /\ place n = e /\ rank n = r) \/ in_tree t e r).
  { induction l as [|n l IH]; intros t I; simpl in I; [auto|]. destruct (IH _ I) as [[n' [N E]]|J].
    - left. exists n'. simpl. tauto.
    - apply put_in in J. destruct J as [[-> ->]|J]; [|auto]. left. exists n. simpl. auto. }
  intros I. destruct (G _ _ I) as [E|[]]. exact E.
Qed.

Lemma possible_well_formed : forall e, possible g e = true -> well_formed g e = true.
Proof. intros e P. unfold possible in P. rewrite andb_true_iff in P. apply P. Qed.

Let fitting (win : bool) : packed -> bool := suitable (of_board ev) (cover ev)
  (value_of g ev) x win.

Lemma suiting_fitting : forall win e, suiting g ev x win e = true -> fitting win e = true.
Proof. intros win e. apply (suits_suitable _ _ _ _ fits). Qed.

Lemma fitting_in_cover : forall win e, fitting win e = true -> in_cover g (cover ev) e = true.
Proof. intros win e F. unfold fitting, suitable in F. rewrite andb_true_iff in F. apply F. Qed.

Lemma goes_goes_on : forall cl (P : packed -> Prop) e, (forall y, P y -> cl y = true) ->
  goes g x P e -> goes_on (of_board ev) x cl e = true.
Proof.
  intros cl P e C G. unfold goes in G. unfold goes_on. fold g. destruct (side_eqb (to_move e) x).
  - destruct G as [y [I Y]]. apply existsb_exists. eauto.
  - apply forallb_forall. eauto.
Qed.

(** * Not losing: Theorem 3 of SPEC.md *)

Section NotLost.
Hypothesis nodes_hold : forall n, In n (nodes ev x) ->
  node_holds g ev x false (ranks ev x) n = true.
Hypothesis database : forall e, in_cover g (cover ev) e = true ->
  consistent g (value_of g ev) e = true.

Let is_known e := known false (ranks ev x) 0%uint63 e.
Let expanded (e : packed) (n : node) : bool :=
  match replayed g ev x false (ranks ev x) n with
  | Some t => match lookup t e with Some _ => true | None => false end
  | None => false
  end.

(** The set of a question: D, N, L and E of SPEC.md, 2.4. *)
Let set (e : packed) : bool :=
  fitting false e || is_known e || existsb (expanded e) (nodes ev x) || stuck g x e.

Lemma known_any : forall r e, known false (ranks ev x) r e = is_known e.
Proof. reflexivity. Qed.

Lemma set_fitting : forall e, fitting false e = true -> set e = true.
Proof. intros e E. unfold set. rewrite E. reflexivity. Qed.
Lemma set_suiting : forall e, suiting g ev x false e = true -> set e = true.
Proof. intros e E. apply set_fitting, suiting_fitting, E. Qed.
Lemma set_known : forall e, is_known e = true -> set e = true.
Proof. intros e E. unfold set. rewrite E. rewrite orb_true_r. reflexivity. Qed.
Lemma set_stuck : forall e, stuck g x e = true -> set e = true.
Proof. intros e E. unfold set. rewrite E. apply orb_true_r. Qed.
Lemma set_expanded : forall e n t v, In n (nodes ev x) ->
  replayed g ev x false (ranks ev x) n = Some t ->
  lookup t e = Some v -> set e = true.
Proof.
  intros e n t v I R L. unfold set.
  assert (X : existsb (expanded e) (nodes ev x) = true).
  { apply existsb_exists. exists n. split; [exact I|]. unfold expanded. rewrite R, L. reflexivity. }
  rewrite X, !orb_true_r. reflexivity.
Qed.

Lemma holds_set : forall r e, holds_below g ev x false (ranks ev x) r e = true -> set e = true.
Proof.
  intros r e H. unfold holds_below in H. destruct (in_database g ev e); [apply set_suiting, H|].
  destruct (lookup (ranks ev x) e); [apply set_known, H | apply set_stuck, H].
Qed.

Lemma expanded_goes : forall e n t v, In n (nodes ev x) ->
  replayed g ev x false (ranks ev x) n = Some t ->
  lookup t e = Some v -> well_formed g e = true /\ goes_on (of_board ev) x set e = true.
Proof.
  intros e n t v I R L. pose proof R as R'. unfold replayed in R'.
  destruct (why n) as [| |stated strategy]; try discriminate.
  destruct (replay_closed _ _ _ _ _ _ _ _ _ _ R' _ _ L) as [W G]. split; [exact W|]. revert G.
  apply goes_goes_on.
  intros y [S|[K|[w F]]].
  - apply set_suiting, S.
  - apply set_known, K.
  - exact (set_expanded _ _ _ _ I R F).
Qed.

Lemma node_goes : forall n, In n (nodes ev x) ->
  well_formed g (place n) = true /\ goes_on (of_board ev) x set (place n) = true.
Proof.
  intros n I. pose proof (nodes_hold n I) as N. unfold node_holds in N. rewrite !andb_true_iff in N.
  destruct N as [[P _] N]. split; [apply possible_well_formed, P|].
  destruct (why n) as [choice| |stated strategy] eqn:Y.
  - apply andb_true_iff in N. destruct N as [T N]. unfold goes_on. rewrite T. fold g.
    destruct (pick _ choice) as [y|] eqn:K; [|discriminate]. apply existsb_exists. exists y.
    split; [apply in_ordered, (pick_in _ choice), K | exact (holds_set _ _ N)].
  - apply andb_true_iff in N. destruct N as [T N]. apply negb_true_iff in T. unfold goes_on.
    rewrite T. fold g.
    apply forallb_forall. intros y Iy. rewrite forallb_forall in N. exact (holds_set _ _ (N y Iy)).
  - destruct (replayed g ev x false (ranks ev x) n) as [t|] eqn:R; [|discriminate].
    destruct (lookup t (place n)) as [v|] eqn:L; [|discriminate].
    apply (expanded_goes _ n t v I R L).
Qed.

Lemma set_closed : forall e, set e = true -> well_formed g e = true /\
  goes_on (of_board ev) x set e = true.
Proof.
  intros e S. unfold set in S. rewrite !orb_true_iff in S. destruct S as [[[S|S]|S]|S].
  - pose proof (fitting_in_cover _ _ S) as C.
    split; [exact (in_cover_well_formed _ _ _ C)|].
    pose proof (consistent_closed _ _ _ x fits e (database e C) S) as G.
    assert (M : forall y, fitting false y || stuck g x y = true -> set y = true).
    { intros y Y. apply orb_true_iff in Y. destruct Y as [Y|Y];
      [apply set_fitting, Y | apply set_stuck, Y]. }
    unfold goes_on in *. fold g in G |- *. destruct (side_eqb (to_move e) x).
    + apply existsb_exists in G. destruct G as [y [I Y]]. apply existsb_exists. eauto.
    + rewrite forallb_forall in G. apply forallb_forall. eauto.
  - unfold is_known, known in S. destruct (lookup (ranks ev x) e) as [r|] eqn:L; [|discriminate].
    apply lookup_in, ranks_nodes in L. destruct L as [n [I [<- _]]]. exact (node_goes n I).
  - apply existsb_exists in S. destruct S as [n [I E]]. unfold expanded in E.
    destruct (replayed g ev x false (ranks ev x) n) as [t|] eqn:R; [|discriminate].
    destruct (lookup t e) as [v|] eqn:L; [|discriminate]. exact (expanded_goes _ n t v I R L).
  - unfold stuck in S. rewrite !andb_true_iff in S. destruct S as [[W T] N]. split; [exact W|].
    apply negb_true_iff in T. unfold goes_on. rewrite T. fold g. destruct (successors g e);
      [reflexivity | discriminate].
Qed.

Theorem not_lost : start_holds g ev x false (ranks ev x) start = true ->
  forall p, same p (unpack (of_board ev) start) -> NotLost (of_board ev) x p.
Proof.
  intros H p S. apply (closed_set (of_board ev) fits x set set_closed start); [|exact S].
  unfold start_holds in H. rewrite andb_true_iff in H. destruct H as [_ H].
  destruct (in_database g ev start); [apply set_suiting, H|].
  destruct (lookup (ranks ev x) start) as [r|] eqn:L; [|apply set_stuck, H].
  apply set_known. unfold is_known, known. rewrite L. reflexivity.
Qed.
End NotLost.

(** * Winning: Theorem 4 of SPEC.md *)

Section Win.
Hypothesis nodes_hold : forall n, In n (nodes ev x) -> node_holds g ev x true (ranks ev x) n = true.
Hypothesis database : forall e, in_cover g (cover ev) e = true ->
  settled g (value_of g ev) (depth_of g ev) e = true.

Lemma suiting_wins : forall e, suiting g ev x true e = true -> wins (of_board ev) x e.
Proof.
  intros e S. exact (settled_wins _ _ _ _ x fits database e (suiting_fitting _ _ S)).
Qed.

Lemma goes_wins : forall e, well_formed g e = true -> goes g x (wins (of_board ev) x) e ->
  wins (of_board ev) x e.
Proof.
  intros e W G. unfold goes in G. destruct (side_eqb (to_move e) x) eqn:T.
  - apply side_eqb_spec in T. destruct G as [y [I Y]]. exact (wins_mine _ fits x e y W T I Y).
  - apply (wins_theirs _ fits x e W); [destruct (to_move e), x; simpl in *; congruence | exact G].
Qed.

Lemma nodes_win : forall m n, In n (nodes ev x) -> Z.to_nat (to_Z (rank n)) < m ->
  wins (of_board ev) x (place n).
Proof.
  induction m as [|m IH]; intros n I L; [lia|].
  assert (K : forall e, known true (ranks ev x) (rank n) e = true -> wins (of_board ev) x e).
  { intros e K. unfold known in K. destruct (lookup (ranks ev x) e) as [r|] eqn:F; [|discriminate].
    apply lookup_in, ranks_nodes in F. destruct F as [n' [I' [<- <-]]]. apply IH; [exact I'|].
    apply ltb_spec in K. pose proof (to_Z_bounded (rank n')). lia. }
  assert (B : forall e, holds_below g ev x true (ranks ev x) (rank n) e = true ->
    wins (of_board ev) x e).
  { intros e H. unfold holds_below in H. destruct (in_database g ev e); [apply suiting_wins, H|].
    destruct (lookup (ranks ev x) e); [apply K, H | exact (wins_stuck _ x fits e H)]. }
  pose proof (nodes_hold n I) as N. unfold node_holds in N. rewrite !andb_true_iff in N.
  destruct N as [[P _] N].
  pose proof (possible_well_formed _ P) as W.
  destruct (why n) as [choice| |stated strategy] eqn:Y.
  - apply andb_true_iff in N. destruct N as [T N]. apply goes_wins; [exact W|]. unfold goes.
    rewrite T.
    destruct (pick _ choice) as [y|] eqn:C; [|discriminate]. exists y.
    split; [apply in_ordered, (pick_in _ choice), C | exact (B y N)].
  - apply andb_true_iff in N. destruct N as [T N]. apply negb_true_iff in T. apply goes_wins;
      [exact W|].
    unfold goes. rewrite T. intros y J. rewrite forallb_forall in N. exact (B y (N y J)).
  - unfold replayed in N. rewrite Y in N.
    destruct (replay _ _ _ _ _ _ _ _ _) as [t|] eqn:R; [|discriminate].
    destruct (lookup t (place n)) as [v|] eqn:F; [|discriminate]. apply negb_true_iff in N.
    simpl in N.
    exact (replay_wins _ _ _ _ _ _ (wins (of_board ev) x) goes_wins suiting_wins K eq_refl _ _ _ _
      R _ _ F N).
Qed.

Theorem won : start_holds g ev x true (ranks ev x) start = true ->
  forall p, same p (unpack (of_board ev) start) -> Win (of_board ev) x p.
Proof.
  intros H p S. assert (W : wins (of_board ev) x start); [|exact (W p S)].
  unfold start_holds in H. rewrite andb_true_iff in H. destruct H as [_ H].
  destruct (in_database g ev start); [apply suiting_wins, H|].
  destruct (lookup (ranks ev x) start) as [r|] eqn:L; [|exact (wins_stuck _ x fits start H)].
  apply lookup_in, ranks_nodes in L. destruct L as [n [I [<- _]]].
  exact (nodes_win _ n I (Nat.lt_succ_diag_r _)).
Qed.
End Win.
End Question.

(** * Boards and games *)

Lemma is_board_exists : forall b, is_board b = true <-> board_exists b.
Proof.
  intros b. unfold is_board, board_exists. rewrite !andb_true_iff, !Nat.leb_le. tauto.
Qed.

(** What is judged to be a game is one, and nothing else is. *)
Theorem is_game_exists : forall b n, is_game b n = true <-> game_exists b n.
Proof.
  intros b n. unfold is_game, game_exists.
  rewrite !andb_true_iff, !Nat.leb_le, is_board_exists. tauto.
Qed.

Lemma board_small : forall b, is_board b = true -> small b.
Proof. intros b B. apply exists_small, is_board_exists, B. Qed.

(** What holds of positions with White to move holds of those with Black to move. *)
Lemma both_sides : forall ev win, board_exists (of_board ev) ->
  let g := make_geometry (of_board ev) in
  (forall e, to_move e = White -> in_cover g (cover ev) e = true ->
    position_holds g ev win e = true) ->
  forall e, in_cover g (cover ev) e = true -> position_holds g ev win e = true.
Proof.
  intros ev win B g H e C. destruct (to_move e) eqn:T; [|exact (H e T C)].
  pose proof (in_cover_well_formed _ _ _ C) as W.
  assert (P : position_holds g ev win (turned g e) = true).
  { apply H; [unfold turned; cbn [to_move]; rewrite T; reflexivity|].
    exact (turned_in_cover _ B e W _ C). }
  unfold position_holds in *. destruct win;
    [exact (settled_turned _ B _ _ e W P) | exact (consistent_turned _ B _ e W P)].
Qed.

(** * The theorem *)

Section Shards.
Variables (m : int) (ev : evidence) (start : packed) (c : claim).
Hypothesis some : (0 <? m)%uint63 = true.
Hypothesis shards : forall k, (k <? m)%uint63 = true -> check_shard k m ev start c = true.
Let g := make_geometry (of_board ev).

Lemma shard_exists : forall eb, (shard_of m eb <? m)%uint63 = true.
Proof.
  intros eb. apply ltb_spec. unfold shard_of. apply ltb_spec in some.
  change (to_Z 0) with 0%Z in some. set (x := ((eb * 2862933555777941757) << 29)%uint63).
  pose proof (to_Z_bounded x) as X.
  rewrite lsr_spec, mul_spec, lsr_spec. change (2 ^ to_Z 33)%Z with (2 ^ 33)%Z.
  change (2 ^ to_Z 30)%Z with (2 ^ 30)%Z.
  assert (H : (0 <= to_Z x / 2 ^ 33 < 2 ^ 30)%Z)
    by (split; [apply Z.div_pos | apply Z.div_lt_upper_bound];
      change wB with (2 ^ 33 * 2 ^ 30)%Z in X; lia).
  apply Z.div_lt_upper_bound; [lia|]. apply Z.le_lt_trans with (to_Z x / 2 ^ 33 * to_Z m)%Z; [|nia].
  apply Z.mod_le; [nia | reflexivity].
Qed.

Lemma shards_board : board_exists (of_board ev).
Proof.
  pose proof (shards 0 some) as H. unfold check_shard in H. rewrite andb_true_iff in H.
  apply is_board_exists, H.
Qed.

Lemma shards_question : forall x win,
  (forall k, (k <? m)%uint63 = true ->
    question_holds g ev x win (fun eb => shard_of m eb =? k)%uint63 start = true) ->
  start_holds g ev x win (ranks ev x) start = true /\
  forall n, In n (nodes ev x) -> node_holds g ev x win (ranks ev x) n = true.
Proof.
  intros x win Q. split.
  - specialize (Q _ some). unfold question_holds in Q. rewrite andb_true_iff in Q. apply Q.
  - intros n I. specialize (Q _ (shard_exists (black (place n)))). unfold question_holds in Q.
    rewrite andb_true_iff in Q. destruct Q as [_ Q]. rewrite forallb_forall in Q.
    specialize (Q n I).
    simpl in Q. rewrite eqb_refl in Q. exact Q.
Qed.

Lemma shards_database : board_exists (of_board ev) -> forall win,
  (forall k, (k <? m)%uint63 = true ->
    database_holds g ev win (fun eb => shard_of m eb =? k)%uint63 = true) ->
  forall e, in_cover g (cover ev) e = true -> position_holds g ev win e = true.
Proof.
  intros B win D. apply both_sides; [exact B|]. intros e T C.
  specialize (D _ (shard_exists (black e))).
  unfold database_holds in D. cbv zeta in D. pose proof (exists_small _ B) as F.
  destruct (cover_spec (of_board ev) F _ _ _ D e T C (eqb_refl _))
    as [wm [bm [bk [wk [P H]]]]].
  pose proof (in_cover_well_formed _ _ _ C) as W. unfold g in *. unfold in_cover in C.
  rewrite !andb_true_iff, negb_true_iff, orb_false_iff in C. destruct C as [[_ [N _]] _].
  destruct win; [|exact (follows_consistent _ F (table ev) e T W N _ _ _ _ P H)].
  rewrite (position_parts _ e T W N _ _ _ _ P) in H. exact H.
Qed.

Lemma shards_each : forall k, (k <? m)%uint63 = true ->
  let mine eb := (shard_of m eb =? k)%uint63 in
  match c with
  | Draw => question_holds g ev Black false mine start = true /\
    question_holds g ev White false mine start = true /\
            database_holds g ev false mine = true
  | DoesNotLose x => question_holds g ev x false mine start = true /\
    database_holds g ev false mine = true
  | Wins x => question_holds g ev x true mine start = true /\ database_holds g ev true mine = true
  end.
Proof.
  intros k K mine. pose proof (shards k K) as H. unfold check_shard in H.
  rewrite andb_true_iff in H.
  destruct H as [_ H]. fold g mine in H. destruct c as [|y|y];
    apply andb_true_iff in H; destruct H as [A D]; [|exact (conj A D)|exact (conj A D)].
  apply andb_true_iff in A. destruct A as [B W]. exact (conj B (conj W D)).
Qed.

(** If every shard was checked, the claim holds. *)
Theorem check_shards : forall p, same p (unpack (of_board ev) start) -> holds (of_board ev) p c.
Proof.
  intros p S. pose proof shards_each as E. pose proof shards_board as X.
  pose proof (exists_small _ X) as F. clear shards.
  assert (NL : forall x, (forall k, (k <? m)%uint63 = true ->
      question_holds g ev x false (fun eb => shard_of m eb =? k)%uint63 start = true /\
      database_holds g ev false (fun eb => shard_of m eb =? k)%uint63 = true) ->
        NotLost (of_board ev) x p).
  { intros x A. destruct (shards_question x false (fun k K => proj1 (A k K))) as [H N].
    exact (not_lost ev x start F N (shards_database X false (fun k K => proj2 (A k K))) H p S). }
  destruct c as [|x|x]; simpl.
  - split; apply NL; intros k K; destruct (E k K) as [A [B C]]; split; assumption.
  - apply NL, E.
  - destruct (shards_question x true (fun k K => proj1 (E k K))) as [H N].
    exact (won ev x start F N (shards_database X true (fun k K => proj2 (E k K))) H p S).
Qed.
End Shards.

(** What a whole check accepts holds. *)
Theorem check_holds : forall ev start c, check ev start c = true ->
  forall p, same p (unpack (of_board ev) start) -> holds (of_board ev) p c.
Proof.
  intros ev start c H. apply (check_shards 1); [reflexivity|]. intros k K.
  assert (E : k = 0%uint63); [|subst; exact H].
  apply to_Z_inj. apply ltb_spec in K. change (to_Z 1) with 1%Z in K. change (to_Z 0) with 0%Z.
  pose proof (to_Z_bounded k). lia.
Qed.

(** It is about a board that there is, and so is each shard. *)
Theorem check_board : forall k m ev start c, check_shard k m ev start c = true ->
  board_exists (of_board ev).
Proof.
  intros k m ev start c H. unfold check_shard in H. rewrite andb_true_iff in H.
  apply is_board_exists, H.
Qed.

(** * With a table as a premise *)

(** Each value of the table follows from those of successors; for wins, with some depths. *)
Definition right_table (ev : evidence) (c : claim) : Prop :=
  let g := make_geometry (of_board ev) in
  match c with
  | Wins _ => exists d, forall e, to_move e = White -> in_cover g (cover ev) e = true ->
      settled g (for_both g (table ev)) (for_both g d) e = true
  | _ => forall e, to_move e = White -> in_cover g (cover ev) e = true ->
      consistent g (for_both g (table ev)) e = true
  end.

Lemma question_parts : forall g ev x win start,
  question_holds g ev x win (fun _ => true) start = true ->
  start_holds g ev x win (ranks ev x) start = true /\
  forall n, In n (nodes ev x) -> node_holds g ev x win (ranks ev x) n = true.
Proof.
  intros g ev x win start Q. unfold question_holds in Q. apply andb_true_iff in Q.
  destruct Q as [S N]. rewrite forallb_forall in N. auto.
Qed.

(** Nodes and leaves that are checked prove the claim if the table is right. *)
Theorem proof_holds : forall ev start c, check_proof ev start c = true -> right_table ev c ->
  forall p, same p (unpack (of_board ev) start) -> holds (of_board ev) p c.
Proof.
  intros ev start c H T p S. unfold check_proof in H. apply andb_true_iff in H.
  destruct H as [F H]. apply is_board_exists in F. pose proof (exists_small _ F) as F'.
  assert (NL : forall x, (forall e, to_move e = White ->
      in_cover (make_geometry (of_board ev)) (cover ev) e = true ->
      position_holds (make_geometry (of_board ev)) ev false e = true) ->
    question_holds (make_geometry (of_board ev)) ev x false (fun _ => true) start = true ->
    NotLost (of_board ev) x p).
  { intros x C Q. apply question_parts in Q. destruct Q as [B N].
    exact (not_lost ev x start F' N (both_sides ev false F C) B p S). }
  destruct c as [|x|x]; simpl in *.
  - apply andb_true_iff in H. destruct H as [B W]. split; apply NL; assumption.
  - apply NL; assumption.
  - destruct T as [d T]. apply question_parts in H. destruct H as [B N].
    set (ev' := {| of_board := of_board ev; cover := cover ev; table := table ev; depth := d;
      nodes := nodes ev |}).
    exact (won ev' x start F' N (both_sides ev' true F T) B p S).
Qed.

(** * What is printed is what was proved *)

(** The start of the game RxC/n. *)
Theorem game_holds : forall ev n c, check ev (start_of (of_board ev) n) c = true ->
  forall p, game_start (of_board ev) n p -> holds (of_board ev) p c.
Proof.
  intros ev n c H p G. apply (check_holds _ _ _ H), start_of_game; [|exact G].
  apply board_small, is_board_exists. exact (check_board _ _ _ _ _ H).
Qed.

Lemma placed_same : forall b e p, placed b (to_move e) (pieces b e) p -> same p (unpack b e).
Proof.
  intros b e p [T [_ [P N]]]. split; [exact T|]. intros q. simpl.
  destruct (is_square b q) eqn:Q.
  - apply is_square_spec in Q. pose proof (index_nth _ _ Q) as I. specialize (P _ _ I).
    unfold pieces in P. rewrite (map_nth_error _ _ _ I) in P. congruence.
  - apply N. intros I. apply is_square_spec in I. congruence.
Qed.

Theorem fen_holds : forall ev start c, check ev start c = true ->
  forall p, placed (of_board ev) (to_move start) (pieces (of_board ev) start) p ->
    holds (of_board ev) p c.
Proof. intros ev start c H p P. apply (check_holds _ _ _ H), placed_same, P. Qed.

(** What is stated of a start that the claim holds of is true. *)
Lemma holds_means : forall b n e c, board_exists b ->
  (forall p, same p (unpack b e) -> holds b p c) -> means (stated b n e c).
Proof.
  intros b n e c B H. unfold means, valid, begins, stated.
  cbn [the_board the_start the_claim].
  destruct (is_game b n && equal e (start_of b n)) eqn:G.
  - apply andb_true_iff in G. destruct G as [G E]. apply equal_spec in E. subst e.
    split; [apply is_game_exists, G|]. intros p P.
    apply H, start_of_game; [apply exists_small, B | exact P].
  - split; [split; [exact B | apply map_length]|]. intros p P. apply H.
    exact (placed_same b e p P).
Qed.

Theorem check_means : forall ev n e c, check ev e c = true -> means (stated (of_board ev) n e c).
Proof.
  intros ev n e c H. apply holds_means; [exact (check_board _ _ _ _ _ H) |].
  exact (check_holds _ _ _ H).
Qed.

Theorem shards_means : forall m ev n e c, (0 <? m)%uint63 = true ->
  (forall k, (k <? m)%uint63 = true -> check_shard k m ev e c = true) ->
  means (stated (of_board ev) n e c).
Proof.
  intros m ev n e c M H. apply holds_means; [exact (check_board _ _ _ _ _ (H _ M)) |].
  exact (check_shards m ev e c M H).
Qed.
