(* A certificate of not losing over a database that is a hypothesis. The replay of nodes and leaves
   stops at the positions of a cover and collects them. The theorem has no other hypothesis than
   that x does not lose these positions. *)
From Coq Require Import List Arith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Game Perft Seen Cover Successor
  Replay Check Soundness Evidence Parts.
Import ListNotations.
Local Open Scope nat_scope.

(** What is still to do; the positions so far, 2 if the cover has them and 1 if they were expanded;
    bits of the strategy to come. *)
Record visit := { ahead : list packed; met : tree; later_bits : list bool }.
Inductive progress := Going (s : visit) | Ended (s : visit) | Stopped.

Section Run.
Variables (g : geometry) (x : side) (clauses : list clause) (elsewhere : packed -> bool).

(** One step; what is [elsewhere] is a node, which has a replay of its own. *)
Definition step_visit (s : visit) : progress :=
  match ahead s with
  | [] => Ended s
  | e :: rest =>
    match lookup (met s) e with
    | Some _ => Going {| ahead := rest; met := met s; later_bits := later_bits s |}
    | None =>
      if elsewhere e then Going {| ahead := rest; met := met s; later_bits := later_bits s |}
      else if covered g clauses e
      then Going {| ahead := rest; met := put (met s) e 2%uint63; later_bits := later_bits s |}
      else if negb (well_formed g e) then Stopped
      else
        let next := ordered (successors g e) in
        let met' := put (met s) e 1%uint63 in
        if side_eqb (to_move e) x then
          match read (width (length next)) (later_bits s) with
          | None => Stopped
          | Some (i, bs) =>
            match pick next i with
            | None => Stopped
            | Some y => Going {| ahead := y :: rest; met := met'; later_bits := bs |}
            end
          end
        else Going {| ahead := next ++ rest; met := met'; later_bits := later_bits s |}
    end
  end.

(** 2^n steps, or fewer if there are no more. *)
Fixpoint visits (n : nat) (s : visit) : progress :=
  match n with
  | 0 => step_visit s
  | S n' => match visits n' s with Going s' => visits n' s' | o => o end
  end.

(** All that a strategy visits from a start. *)
Definition visited (e : packed) (strategy : list bool) : tree :=
  match visits 60 {| ahead := [e]; met := Empty; later_bits := strategy |} with
  | Ended s => met s
  | _ => Empty
  end.

Definition fine_in (t : tree) (y : packed) : Prop :=
  elsewhere y = true \/ exists v, lookup t y = Some v.
Definition fine_or_ahead (s : visit) (y : packed) : Prop := fine_in (met s) y \/ In y (ahead s).
Definition follows (P : packed -> Prop) (e : packed) (v : int) : Prop :=
  well_formed g e = true /\ ((v =? 2)%uint63 = false -> goes g x P e).
Definition closing_visit (s : visit) : Prop :=
  forall e v, in_tree (met s) e v -> follows (fine_or_ahead s) e v.

Lemma follows_mono : forall (P Q : packed -> Prop) e v, (forall y, P y -> Q y) ->
  follows P e v -> follows Q e v.
Proof.
  intros P Q e v H [W G]. split; [exact W|]. intros V. exact (goes_mono g x P Q e H (G V)).
Qed.

Lemma covered_well_formed : forall e, covered g clauses e = true -> well_formed g e = true.
Proof. intros e C. unfold covered, possible in C. rewrite !andb_true_iff in C. tauto. Qed.

Lemma closing_step_visit : forall s s', closing_visit s -> step_visit s = Going s' ->
  closing_visit s'.
Proof.
  intros s s' C E. unfold step_visit in E. destruct (ahead s) as [|e rest] eqn:T; [discriminate|].
  (* Nothing is lost where [e] is settled in the new tree [t]. *)
  assert (K : forall t bs more, (forall y, fine_in (met s) y -> fine_in t y) -> fine_in t e ->
    forall y, fine_or_ahead s y ->
      fine_or_ahead {| ahead := more ++ rest; met := t; later_bits := bs |} y).
  { intros t bs more M F y [A|A]; [left; apply M, A|]. rewrite T in A.
    destruct A as [<-|A]; [left; exact F | right; apply in_or_app; right; exact A]. }
  assert (S : fine_in (met s) e ->
    closing_visit {| ahead := rest; met := met s; later_bits := later_bits s |}).
  { intros F y v I. specialize (C y v I). revert C. apply follows_mono, (K _ _ []); auto. }
  destruct (lookup (met s) e) as [w|] eqn:L.
  { injection E as <-. apply S. right. eauto. }
  destruct (elsewhere e) eqn:X; [injection E as <-; apply S; left; exact X|].
  assert (M : forall w y, fine_in (met s) y -> fine_in (put (met s) e w) y).
  { intros w y [Y|[u U]]; [left; exact Y | right; exact (lookup_kept _ _ _ _ _ U)]. }
  assert (N : forall w, fine_in (put (met s) e w) e).
  { intros w. right. exists w. apply lookup_put. }
  destruct (covered g clauses e) eqn:D.
  - injection E as <-. intros y v I. cbn [met] in I. apply put_in in I. destruct I as [[-> ->]|I].
    + split; [apply covered_well_formed, D | discriminate].
    + specialize (C y v I). revert C. apply follows_mono, (K _ _ []); [apply M | apply N].
  - destruct (well_formed g e) eqn:W; [|discriminate]. cbn [negb] in E.
    assert (A : forall more bs, goes g x (fun y => In y more) e ->
      closing_visit {| ahead := more ++ rest; met := put (met s) e 1%uint63; later_bits := bs |}).
    { intros more bs H y v I. cbn [met] in I. apply put_in in I. destruct I as [[-> ->]|I].
      - split; [exact W|]. intros _. revert H. apply goes_mono. intros z Z. right.
        apply in_or_app. left. exact Z.
      - specialize (C y v I). revert C. apply follows_mono, K; [apply M | apply N]. }
    destruct (side_eqb (to_move e) x) eqn:Y.
    + destruct (read _ _) as [[i bs]|]; [|discriminate].
      destruct (pick (ordered (successors g e)) i) as [y|] eqn:P; [|discriminate].
      injection E as <-. apply (A [y]). unfold goes. rewrite Y. exists y.
      split; [apply in_ordered, (pick_in _ i), P | left; reflexivity].
    + injection E as <-. apply A. unfold goes. rewrite Y. intros y I. apply in_ordered, I.
Qed.

Lemma visits_closing : forall n s, closing_visit s ->
  match visits n s with
  | Going s' => closing_visit s'
  | Ended s' => closing_visit s' /\ ahead s' = []
  | Stopped => True
  end.
Proof.
  induction n as [|n IH]; intros s C; simpl.
  - destruct (step_visit s) as [s'|s'|] eqn:E; [exact (closing_step_visit s s' C E) | | exact I].
    unfold step_visit in E. destruct (ahead s) as [|e l] eqn:T; [injection E as <-; auto|].
    destruct (lookup (met s) e); [discriminate|]. destruct (elsewhere e); [discriminate|].
    destruct (covered g clauses e); [discriminate|].
    destruct (negb (well_formed g e)); [discriminate|].
    destruct (side_eqb (to_move e) x); [|discriminate].
    destruct (read _ _) as [[i bs]|]; [|discriminate]. destruct (pick _ i); discriminate.
  - specialize (IH s C) as J. destruct (visits n s) as [s'|s'|]; [apply IH, J | exact J | exact J].
Qed.

Lemma visited_closing : forall e strategy y v, in_tree (visited e strategy) y v ->
  follows (fine_in (visited e strategy)) y v.
Proof.
  intros e strategy. unfold visited.
  pose proof (visits_closing 60 {| ahead := [e]; met := Empty; later_bits := strategy |}) as R.
  remember (visits 60 {| ahead := [e]; met := Empty; later_bits := strategy |}) as o eqn:O. clear O.
  destruct o as [s|s|]; try (intros y v []).
  destruct R as [R T]; [intros y v []|]. intros y v I. specialize (R y v I). revert R.
  apply follows_mono. intros z [Z|Z]; [exact Z | rewrite T in Z; destruct Z].
Qed.
End Run.

(** * The positions of the cover *)

Fixpoint ends (t : tree) (more : list packed) : list packed :=
  match t with
  | Empty => more
  | Fork l _ e v r => ends l (if (v =? 2)%uint63 then e :: ends r more else ends r more)
  end.
Lemma in_ends : forall t more e,
  In e (ends t more) <-> (exists v, in_tree t e v /\ (v =? 2)%uint63 = true) \/ In e more.
Proof.
  induction t as [|l IHl h k v r IHr]; intros more e; simpl.
  - split; [auto | intros [[v [[] _]]|I]; exact I].
  - rewrite IHl. destruct (v =? 2)%uint63 eqn:V; simpl; rewrite IHr; split.
    + intros [[w [A B]]|[<-|[[w [A B]]|A]]]; eauto 8.
    + intros [[w [[[-> ->]|[A|A]] B]]|A]; eauto 8.
    + intros [[w [A B]]|[[w [A B]]|A]]; eauto 8.
    + intros [[w [[[-> ->]|[A|A]] B]]|A]; eauto 8. congruence.
Qed.

(** All positions of the cover that nodes and leaves lead to. *)
Definition reached (ts : list tree) : list packed := fold_right ends [] ts.
Lemma in_reached : forall ts t e v, In t ts -> in_tree t e v -> (v =? 2)%uint63 = true ->
  In e (reached ts).
Proof.
  induction ts as [|t' ts IH]; intros t e v I T V; [destruct I|]. simpl. apply in_ends.
  destruct I as [->|I]; [left; eauto | right; exact (IH t e v I T V)].
Qed.

(** * Nodes and leaves *)

Section Nodes.
Variables (g : geometry) (x : side) (clauses : list clause) (ns : list node).

Definition places : tree := fold_left (fun t n => put t (place n) (rank n)) ns Empty.
(** A node is a leaf with a short strategy: the number of a move, or nothing. *)
Definition strategy_of (n : node) : list bool :=
  match why n with
  | Or choice => bits_of (width (length (ordered (successors g (place n))))) choice []
  | And => []
  | Leaf _ strategy => strategy
  end.
(** A node that [n] may rest on: for a win, where nodes have ranks, one of a smaller rank. A replay
    that ended at others would read the strategy at other positions than it is written for. *)
Definition other_node (at_ : tree) (n : node) (e : packed) : bool :=
  match lookup at_ e with
  | Some r => if (rank n =? 0)%uint63 then negb (equal e (place n)) else (r <? rank n)%uint63
  | None => false
  end.
(** The replay of each node. *)
Definition replays : list tree :=
  let at_ := places in
  map (fun n => visited g x clauses (other_node at_ n) (place n) (strategy_of n)) ns.

Definition inside (ts : list tree) (e : packed) : bool :=
  existsb (fun t => match lookup t e with Some _ => true | None => false end) ts.
(** No replay has stopped, and the start is in one of them. *)
Definition complete (ts : list tree) (start : packed) : bool :=
  forallb (fun n => inside ts (place n)) ns && inside ts start.

Lemma places_nodes : forall e v, lookup places e = Some v -> exists n, In n ns /\ place n = e.
Proof.
  intros e v L. apply lookup_in in L. unfold places in L.
  assert (G : forall l t, in_tree (fold_left (fun t n => put t (place n) (rank n)) l t) e v ->
    (exists n, In n l /\ place n = e) \/ in_tree t e v).
  { induction l as [|n l IH]; intros t I; simpl in I; [auto|].
    destruct (IH _ I) as [[m [M E]]|J]; [left; exists m; simpl; tauto|].
    apply put_in in J. destruct J as [[-> _]|J]; [|auto]. left. exists n. simpl. auto. }
  destruct (G _ _ L) as [E|[]]. exact E.
Qed.
End Nodes.

(** If x does not lose the positions of the cover that are reached, x does not lose the start. *)
Theorem conditional : forall b x clauses ns start ts, small b ->
  ts = replays (make_geometry b) x clauses ns -> complete ns ts start = true ->
  (forall y, In y (reached ts) -> NotLost b x (unpack b y)) ->
  forall p, same p (unpack b start) -> NotLost b x p.
Proof.
  intros b x clauses ns start ts F R K H p S. unfold complete in K. apply andb_true_iff in K.
  destruct K as [K B]. rewrite forallb_forall in K. set (g := make_geometry b) in *.
  apply (parts_not_lost b F x (inside ts) (reached ts)) with (e := start);
    [| exact H | exact B | exact S].
  intros e I. unfold inside in I. apply existsb_exists in I. destruct I as [t [T L]].
  destruct (lookup t e) as [v|] eqn:V; [|discriminate]. apply lookup_in in V.
  pose proof T as T'. rewrite R in T'. apply in_map_iff in T'. destruct T' as [n [E I]].
  pose proof V as V'. rewrite <- E in V'. apply visited_closing in V'. rewrite E in V'.
  destruct V' as [W G]. split; [exact W|]. intros N.
  assert (V2 : (v =? 2)%uint63 = false).
  { destruct (v =? 2)%uint63 eqn:V2; [|reflexivity]. rewrite <- N. symmetry. apply leaf_in.
    exact (in_reached ts t e v T V V2). }
  specialize (G V2).
  assert (P : forall y, fine_in (other_node (places ns) n) t y -> inside ts y = true).
  { intros y [Y|[w Y]].
    - unfold other_node in Y. destruct (lookup (places ns) y) as [w|] eqn:Z; [|discriminate].
      apply places_nodes in Z. destruct Z as [m [M <-]]. apply K, M.
    - unfold inside. apply existsb_exists. exists t. rewrite Y. auto. }
  unfold goes in G. unfold goes_on. fold g. destruct (side_eqb (to_move e) x).
  - destruct G as [y [Y Z]]. apply existsb_exists. eauto.
  - apply forallb_forall. eauto.
Qed.

Corollary conditional_placed : forall b x clauses ns start ts, small b ->
  ts = replays (make_geometry b) x clauses ns -> complete ns ts start = true ->
  (forall y, In y (reached ts) -> NotLost b x (unpack b y)) ->
  forall p, placed b (to_move start) (pieces b start) p -> NotLost b x p.
Proof.
  intros b x clauses ns start ts F R K H p P.
  exact (conditional b x clauses ns start ts F R K H p (placed_same b start p P)).
Qed.

(** How many positions were expanded, and how many of the cover were reached, each counted once for
    a leaf. *)
Fixpoint count_met (t : tree) (sums : int * int) : int * int :=
  match t with
  | Empty => sums
  | Fork l _ _ v r =>
    let (expanded, of_cover) := count_met l sums in
    count_met r
      (if v =? 2 then (expanded, of_cover + 1) else (expanded + 1, of_cover))%uint63
  end.
Definition counts (ts : list tree) : int * int := fold_right count_met (0, 0)%uint63 ts.
