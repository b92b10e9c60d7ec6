(* Leaves: a strategy in depth-first order, SPEC.md, 7. *)
From Coq Require Import List Arith Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Game Perft Seen.
Import ListNotations.
Local Open Scope nat_scope.

Inductive item := Visit (e : packed) | Complete (e : packed).

(** What is still to do; positions expanded so far, 1 if completed and 0 if open; bits of the
    strategy to come; how many positions may still be expanded. *)
Record state := { todo : list item; seen : tree; bits : list bool; allowed : int }.
Inductive outcome := More (st : state) | Done (st : state) | Fail.

(** A number of [n] bits, the lowest first. *)
Fixpoint read (n : nat) (l : list bool) : option (int * list bool) :=
  match n, l with
  | 0, _ => Some (0%uint63, l)
  | S _, [] => None
  | S n', c :: rest =>
    match read n' rest with
    | Some (v, rest') => Some ((2 * v + (if c then 1 else 0))%uint63, rest')
    | None => None
    end
  end.

Definition width (n : nat) : nat := Nat.max 1 (Nat.log2_up n).

Fixpoint pick (l : list packed) (i : int) : option packed :=
  match l with
  | [] => None
  | e :: rest => if (i =? 0)%uint63 then Some e else pick rest (i - 1)%uint63
  end.

Lemma pick_in : forall l i e, pick l i = Some e -> In e l.
Proof.
  induction l as [|x l IH]; intros i e; simpl; [discriminate|]. destruct (i =? 0)%uint63.
  - intros [= <-]. auto.
  - intros H. right. exact (IH _ _ H).
Qed.

Section Replay.
Variables (g : geometry) (x : side) (win : bool).
(** Positions of the database; those whose value suits; those of nodes that a leaf may lead to. *)
Variables (in_database suiting known : packed -> bool).

Definition expand (e : packed) (st : state) : option state :=
  if (allowed st =? 0)%uint63 then None
  else if negb (well_formed g e) then None
  else
    let next := ordered (successors g e) in
    let visits l rest := {| todo := map Visit l ++ Complete e :: todo st;
      seen := put (seen st) e 0%uint63;
                            bits := rest; allowed := (allowed st - 1)%uint63 |} in
    if side_eqb (to_move e) x then
      match read (width (length next)) (bits st) with
      | None => None
      | Some (i, rest) => match pick next i with None => None | Some y => Some (visits [y] rest) end
      end
    else Some (visits next (bits st)).

Definition with_todo (l : list item) (st : state) : state :=
  {| todo := l; seen := seen st; bits := bits st; allowed := allowed st |}.

Definition step_replay (st : state) : outcome :=
  match todo st with
  | [] => Done st
  | Complete e :: rest =>
    match lookup (seen st) e with
    | None => Fail
    | Some _ => More {| todo := rest; seen := put (seen st) e 1%uint63; bits := bits st;
      allowed := allowed st |}
    end
  | Visit e :: rest =>
    if in_database e then if suiting e then More (with_todo rest st) else Fail
    else match lookup (seen st) e with
    | Some v => if win && (v =? 0)%uint63 then Fail else More (with_todo rest st)
    | None =>
      if known e then More (with_todo rest st)
      else match expand e (with_todo rest st) with None => Fail | Some st' => More st' end
    end
  end.

(** 2^n steps, or fewer if there are no more. *)
Fixpoint run (n : nat) (st : state) : outcome :=
  match n with
  | 0 => step_replay st
  | S n' => match run n' st with More st' => run n' st' | o => o end
  end.

(** The unused bits of the last byte. *)
Definition padding (l : list bool) : bool := forallb negb l && (length l <? 8).

(** The positions that the strategy expands from [e], if nothing is wrong. *)
Definition replay (e : packed) (stated : int) (strategy : list bool) : option tree :=
  match expand e {| todo := []; seen := Empty; bits := strategy; allowed := stated |} with
  | None => None
  | Some st =>
    match run 60 st with
    | Done st' => if (allowed st' =? 0)%uint63 && padding (bits st') then Some (seen st') else None
    | _ => None
    end
  end.

Lemma run_invariant : forall P : state -> Prop,
  (forall st st', P st -> step_replay st = More st' -> P st') ->
  forall n st, P st -> match run n st with More st' => P st' | Done st' => P st' /\ todo st' = []
    | Fail => True end.
Proof.
  intros P H. induction n as [|n IH]; intros st I; simpl.
  - destruct (step_replay st) as [st'|st'|] eqn:E; [exact (H _ _ I E) | | exact Logic.I].
    unfold step_replay in E. destruct (todo st) as [|[e|e] l] eqn:T.
    + injection E as <-. auto.
    + destruct (in_database e); [destruct (suiting e); discriminate|].
      destruct (lookup (seen st) e); [destruct (win && _); discriminate|]. destruct (known e);
        [discriminate|].
      destruct (expand e _); discriminate.
    + destruct (lookup (seen st) e); discriminate.
  - specialize (IH st I) as J. destruct (run n st) as [st'|st'|]; [apply IH, J | exact J | exact J].
Qed.

Lemma replay_run : forall e stated strategy t, replay e stated strategy = Some t ->
  forall P : state -> Prop, (forall st st', P st -> step_replay st = More st' -> P st') ->
  (forall st, expand e {| todo := []; seen := Empty; bits := strategy; allowed := stated |}
    = Some st -> P st) ->
  exists st, P st /\ todo st = [] /\ seen st = t.
Proof.
  intros e stated strategy t R P H F. unfold replay in R.
  destruct (expand e _) as [st|] eqn:E; [|discriminate]. specialize (F st eq_refl).
  pose proof (run_invariant P H 60 st F) as I. destruct (run 60 st) as [|st'|]; try discriminate.
  destruct (_ && _); [|discriminate]. injection R as <-. exists st'. tauto.
Qed.

(** What an expansion changes. *)
Lemma expand_spec : forall e st st', expand e st = Some st' ->
  well_formed g e = true /\ seen st' = put (seen st) e 0%uint63 /\
  exists l, todo st' = map Visit l ++ Complete e :: todo st /\
    if side_eqb (to_move e) x then exists y, l = [y] /\ In y (successors g e)
    else forall y, In y (successors g e) <-> In y l.
Proof.
  intros e st st' E. unfold expand in E. destruct (allowed st =? 0)%uint63; [discriminate|].
  destruct (well_formed g e); [|discriminate]. split; [reflexivity|]. cbn [negb] in E.
  destruct (side_eqb (to_move e) x).
  - destruct (read _ _) as [[i rest]|]; [|discriminate].
    destruct (pick (ordered (successors g e)) i) as [y|] eqn:K; [|discriminate]. injection E as <-.
    split; [reflexivity|]. exists [y]. split; [reflexivity|]. exists y. split; [reflexivity|].
    apply in_ordered, (pick_in _ i), K.
  - injection E as <-. split; [reflexivity|]. exists (ordered (successors g e)).
    split; [reflexivity|].
    intros y. symmetry. apply in_ordered.
Qed.

(** * Not losing: what was expanded is closed, but for the database and nodes *)

Definition goes (P : packed -> Prop) (e : packed) : Prop :=
  if side_eqb (to_move e) x then exists y, In y (successors g e) /\ P y
  else forall y, In y (successors g e) -> P y.

Lemma goes_mono : forall (P Q : packed -> Prop) e, (forall y, P y -> Q y) -> goes P e -> goes Q e.
Proof.
  intros P Q e H. unfold goes. destruct (side_eqb (to_move e) x).
  - intros [y [I Y]]. eauto.
  - eauto.
Qed.

Definition fine (t : tree) (y : packed) : Prop :=
  suiting y = true \/ known y = true \/ exists v, lookup t y = Some v.
Definition pending (st : state) (y : packed) : Prop := fine (seen st) y \/ In (Visit y) (todo st).
Definition closing (st : state) : Prop :=
  forall e v, in_tree (seen st) e v -> well_formed g e = true /\ goes (pending st) e.

Lemma fine_put : forall t e v y, fine t y -> fine (put t e v) y.
Proof.
  intros t e v y [A|[A|[w A]]]; [left; exact A | right; left; exact A | right; right].
  exact (lookup_kept _ _ _ _ _ A).
Qed.

Lemma closing_expand : forall e st st', closing {| todo := Visit e :: todo st; seen := seen st;
  bits := bits st; allowed := allowed st |} ->
  expand e st = Some st' -> closing st'.
Proof.
  intros e st st' C E. destruct (expand_spec _ _ _ E) as [W [S [l [T L]]]].
  intros y v I. rewrite S in I. apply put_in in I. destruct I as [[-> _]|I].
  - split; [exact W|]. unfold goes. destruct (side_eqb (to_move e) x).
    + destruct L as [z [-> I]]. exists z. split; [exact I|]. right. rewrite T. left. reflexivity.
    + intros z I. right. rewrite T. apply in_or_app. left. apply in_map, L, I.
  - destruct (C y v I) as [Wy G]. split; [exact Wy|]. revert G. apply goes_mono.
    intros z [F|[D|D]].
    + left. rewrite S. apply fine_put, F.
    + injection D as <-. left. rewrite S. right. right. exists 0%uint63. apply lookup_put.
    + right. rewrite T. apply in_or_app. right. right. exact D.
Qed.

Lemma closing_step : forall st st', closing st -> step_replay st = More st' -> closing st'.
Proof.
  intros st st' C E. unfold step_replay in E. destruct (todo st) as [|[e|e] l] eqn:T;
    [discriminate | |].
  - assert (SK : (suiting e = true \/ known e = true \/ exists v, lookup (seen st) e = Some v) ->
      closing (with_todo l st)).
    { intros F y v I. destruct (C y v I) as [W G]. split; [exact W|]. revert G. apply goes_mono.
      intros z [Z|Z]; [left; exact Z|]. rewrite T in Z. destruct Z as [[= ->]|Z];
        [left; exact F | right; exact Z]. }
    destruct (in_database e).
    + destruct (suiting e) eqn:S; [|discriminate]. injection E as <-. apply SK. left. reflexivity.
    + destruct (lookup (seen st) e) as [v|] eqn:L.
      * destruct (win && _); [discriminate|]. injection E as <-. apply SK. eauto.
      * destruct (known e) eqn:K; [injection E as <-; apply SK; auto|].
        destruct (expand e (with_todo l st)) as [s|] eqn:X; [|discriminate]. injection E as <-.
        apply (closing_expand e (with_todo l st)); [|exact X].
        intros y v I. destruct (C y v I) as [W G]. split; [exact W|]. revert G. apply goes_mono.
        intros z [Z|Z]; [left; exact Z | right; rewrite T in Z; exact Z].
  - destruct (lookup (seen st) e) as [w|] eqn:L; [|discriminate]. injection E as <-.
    intros y v I. apply put_in in I.
    assert (Y : exists u, in_tree (seen st) y u).
    { destruct I as [[-> _]|I]; [exists w; apply lookup_in, L | eauto]. }
    destruct Y as [u Y]. destruct (C y u Y) as [W G]. split; [exact W|]. revert G. apply goes_mono.
    intros z [Z|Z]; [left; apply fine_put, Z|]. rewrite T in Z. destruct Z as [Z|Z];
      [discriminate | right; exact Z].
Qed.

Theorem replay_closed : forall e stated strategy t, replay e stated strategy = Some t ->
  forall y v, lookup t y = Some v -> well_formed g y = true /\ goes (fine t) y.
Proof.
  intros e stated strategy t R y v L.
  destruct (replay_run _ _ _ _ R closing closing_step) as [st [C [T S]]].
  - intros st X. apply closing_expand in X; [exact X|]. intros z w [].
  - subst t. apply lookup_in in L. destruct (C _ _ L) as [W G]. split; [exact W|]. revert G.
    apply goes_mono.
    intros z [Z|Z]; [exact Z|]. rewrite T in Z. destruct Z.
Qed.

(** * Winning: what was completed is won *)

Variable wins : packed -> Prop.
Hypothesis wins_goes : forall e, well_formed g e = true -> goes wins e -> wins e.
Hypothesis wins_suiting : forall e, suiting e = true -> wins e.
Hypothesis wins_known : forall e, known e = true -> wins e.

(** If what is to be visited is won, then so is what is to be completed after that. *)
Fixpoint promise (l : list item) : Prop :=
  match l with
  | [] => True
  | Visit e :: rest => wins e -> promise rest
  | Complete e :: rest => wins e /\ promise rest
  end.
Definition winning (st : state) : Prop :=
  promise (todo st) /\ forall e v, in_tree (seen st) e v -> (v =? 0)%uint63 = false -> wins e.

Lemma promise_visits : forall l rest, ((forall y, In y l -> wins y) -> promise rest) ->
  promise (map Visit l ++ rest).
Proof.
  induction l as [|y l IH]; intros rest H; simpl.
  - apply H. intros y [].
  - intros Y. apply IH. intros L. apply H. intros z [<-|Z]; [exact Y | apply L, Z].
Qed.

Lemma winning_expand : forall e st st', (wins e -> promise (todo st)) ->
  (forall e v, in_tree (seen st) e v -> (v =? 0)%uint63 = false -> wins e) ->
    expand e st = Some st' -> winning st'.
Proof.
  intros e st st' P Q E. destruct (expand_spec _ _ _ E) as [W [S [l [T L]]]]. split.
  - rewrite T. apply promise_visits. intros A.
    assert (We : wins e).
    { apply wins_goes; [exact W|]. unfold goes. destruct (side_eqb (to_move e) x).
      - destruct L as [y [-> I]]. exists y. split; [exact I|]. apply A. left. reflexivity.
      - intros y I. apply A, L, I. }
    split; [exact We | apply P, We].
  - intros y v I N. rewrite S in I. apply put_in in I. destruct I as [[_ ->]|I];
      [discriminate | exact (Q y v I N)].
Qed.

Lemma winning_step : win = true -> forall st st', winning st -> step_replay st = More st' ->
  winning st'.
Proof.
  intros WIN st st' [P Q] E. unfold step_replay in E. destruct (todo st) as [|[e|e] l] eqn:T;
    [discriminate | |].
  - simpl in P.
    destruct (in_database e).
    + destruct (suiting e) eqn:S; [|discriminate]. injection E as <-.
      split; [apply P, wins_suiting, S | exact Q].
    + destruct (lookup (seen st) e) as [v|] eqn:L.
      * rewrite WIN in E. simpl in E. destruct (v =? 0)%uint63 eqn:Z; [discriminate|].
        injection E as <-.
        split; [apply P, (Q e v); [apply lookup_in, L | exact Z] | exact Q].
      * destruct (known e) eqn:K; [injection E as <-; split; [apply P, wins_known, K | exact Q]|].
        destruct (expand e (with_todo l st)) as [s|] eqn:X; [|discriminate]. injection E as <-.
        exact (winning_expand e (with_todo l st) s P Q X).
  - destruct (lookup (seen st) e) as [w|] eqn:L; [|discriminate]. injection E as <-.
    destruct P as [We P].
    split; [exact P|]. intros y v I N. simpl in I. apply put_in in I. destruct I as [[-> _]|I];
      [exact We | exact (Q y v I N)].
Qed.

Theorem replay_wins : win = true -> forall e stated strategy t, replay e stated strategy = Some t ->
  forall y v, lookup t y = Some v -> (v =? 0)%uint63 = false -> wins y.
Proof.
  intros WIN e stated strategy t R y v L N.
  destruct (replay_run _ _ _ _ R winning (winning_step WIN)) as [st [[_ Q] [T S]]].
  - intros st X. apply winning_expand in X; [exact X | intros _; exact Logic.I | intros z w []].
  - subst t. exact (Q y v (lookup_in _ _ _ L) N).
Qed.
End Replay.
