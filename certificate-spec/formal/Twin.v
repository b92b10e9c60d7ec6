(* The half-turn with exchanged colours is an isomorphism of the game: Lemma 3 of SPEC.md. *)
From Coq Require Import List Arith Lia Bool.
From Draughtproof Require Import Spec Rules Game.
Import ListNotations.

Section Board.
Variable b : board.

(** The board turned by 180 degrees; what lies outside stays where it is. *)
Definition inside (q : square) : bool := (fst q <? rows b) && (snd q <? columns b).
Definition half_turn (q : square) : square :=
  if inside q then (rows b - 1 - fst q, columns b - 1 - snd q) else q.

Definition exchanged (content : option (side * kind)) : option (side * kind) :=
  match content with Some (s, k) => Some (other s, k) | None => None end.

(** The position with the board turned, the colours exchanged, and the other side to move. *)
Definition twin (p : position) : position :=
  {| piece := fun q => exchanged (piece p (half_turn q)); turn := other (turn p) |}.

(** What is claimed of one is claimed of the other with the sides exchanged. *)
Definition twin_claim (c : claim) : claim :=
  match c with Draw => Draw | DoesNotLose x => DoesNotLose (other x) | Wins x => Wins (other x) end.

(** * Turning twice changes nothing *)

Lemma other_twice : forall s, other (other s) = s.
Proof. intros []; reflexivity. Qed.

Lemma inside_spec : forall q, inside q = true <-> fst q < rows b /\ snd q < columns b.
Proof. intros q. unfold inside. rewrite andb_true_iff, !Nat.ltb_lt. reflexivity. Qed.

Lemma half_turn_inside : forall q, inside (half_turn q) = inside q.
Proof.
  intros q. unfold half_turn. destruct (inside q) eqn:I; [|exact I].
  apply inside_spec in I. apply inside_spec. simpl. lia.
Qed.

Lemma half_turn_twice : forall q, half_turn (half_turn q) = q.
Proof.
  intros [r c]. unfold half_turn at 1. rewrite half_turn_inside. unfold half_turn.
  destruct (inside (r, c)) eqn:I; [|reflexivity].
  apply inside_spec in I. simpl in *. f_equal; lia.
Qed.

Lemma half_turn_inj : forall q q', half_turn q = half_turn q' -> q = q'.
Proof. intros q q' E. rewrite <- (half_turn_twice q), E. apply half_turn_twice. Qed.

Lemma half_turn_swap : forall q q', q = half_turn q' -> half_turn q = q'.
Proof. intros q q' ->. apply half_turn_twice. Qed.

Lemma map_twice : forall l, map half_turn (map half_turn l) = l.
Proof.
  intros l. rewrite map_map, (map_ext _ (fun q => q)) by apply half_turn_twice. apply map_id.
Qed.

Lemma in_map_half_turn : forall q l, In q (map half_turn l) <-> In (half_turn q) l.
Proof.
  intros q l. rewrite in_map_iff. split.
  - intros [y [<- Y]]. rewrite half_turn_twice. exact Y.
  - intros I. exists (half_turn q). split; [apply half_turn_twice | exact I].
Qed.

Lemma exchanged_twice : forall x, exchanged (exchanged x) = x.
Proof. intros [[s k]|]; simpl; rewrite ?other_twice; reflexivity. Qed.

Lemma twin_piece : forall p q, piece (twin p) (half_turn q) = exchanged (piece p q).
Proof. intros p q. simpl. rewrite half_turn_twice. reflexivity. Qed.

Lemma twin_twice : forall p, same (twin (twin p)) p.
Proof.
  intros p. split; [apply other_twice|]. intros q. simpl.
  rewrite half_turn_twice. apply exchanged_twice.
Qed.

Lemma twin_same : forall p p', same p p' -> same (twin p) (twin p').
Proof.
  intros p p' [T P]. split; simpl; [congruence|]. intros q. rewrite P. reflexivity.
Qed.

Lemma twin_swap : forall p q, same q (twin p) -> same (twin q) p.
Proof.
  intros p q S. apply same_trans with (twin (twin p)); [apply twin_same, S | apply twin_twice].
Qed.

(** * Moves *)

Lemma move_same_right : forall p p' q', same p' q' -> move b p p' -> move b p q'.
Proof.
  intros p p' q' [T P] M.
  assert (R : forall from to taken k, result b p p' from to taken k ->
    result b p q' from to taken k).
  { intros from to taken k [A [[k' [B1 B2]] [C D]]]. unfold result. rewrite <- T.
    split; [exact A|]. split; [exists k'; rewrite <- P; auto|].
    split; intros q; rewrite <- P; auto. }
  destruct M; [eapply capture | eapply quiet]; eauto.
Qed.

(** Squares stay dark where rows and columns together are even, as SPEC.md, 1, asks for. *)
Hypothesis even : Nat.even (rows b + columns b) = true.

Lemma on_board_inside : forall q, on_board b q -> inside q = true.
Proof. intros q [R [C _]]. apply inside_spec. auto. Qed.

Lemma half_turn_on_board : forall q, on_board b q -> on_board b (half_turn q).
Proof.
  intros q O. pose proof (on_board_inside q O) as I. destruct O as [R [C O]].
  unfold half_turn. rewrite I. unfold on_board. simpl. split; [lia|]. split; [lia|].
  pose proof even as E. apply Nat.even_spec in E. destruct E as [m E].
  apply Nat.odd_spec in O. destruct O as [n O].
  apply Nat.odd_spec. exists (m - n - 2). lia.
Qed.

Lemma half_turn_step : forall s k q q', inside q = true -> inside q' = true -> step s k q q' ->
  step (other s) k (half_turn q) (half_turn q').
Proof.
  intros s k q q' I I' S. unfold half_turn. rewrite I, I'. apply inside_spec in I, I'.
  destruct q as [r c], q' as [r' c']. unfold step, beside in *. cbn [fst snd] in *.
  destruct S as [B F]. split; [lia|].
  destruct F as [F|[K F]]; [left | right; split; [exact K|]]; destruct s; simpl in *; lia.
Qed.

Lemma half_turn_last_row : forall s q, inside q = true ->
  (last_row b (other s) (fst (half_turn q)) <-> last_row b s (fst q)).
Proof.
  intros s q I. unfold half_turn. rewrite I. apply inside_spec in I.
  destruct s; simpl; lia.
Qed.

Lemma twin_jump : forall p from k taken q over q', inside q = true ->
  jump b p from k taken q over q' ->
  jump b (twin p) (half_turn from) k (map half_turn taken) (half_turn q) (half_turn over)
    (half_turn q').
Proof.
  intros p from k taken q over q' I [S [S' [R [C [O [E [[k' K] N]]]]]]].
  pose proof (on_board_inside _ O) as I'.
  assert (J : inside over = true) by (apply inside_spec in I, I'; apply inside_spec; lia).
  unfold jump. change (turn (twin p)) with (other (turn p)).
  split; [apply half_turn_step; assumption|]. split; [apply half_turn_step; assumption|].
  split; [|split; [|split; [apply half_turn_on_board, O|split; [|split]]]].
  - unfold half_turn. rewrite I, I', J. apply inside_spec in I, I', J. simpl. lia.
  - unfold half_turn. rewrite I, I', J. apply inside_spec in I, I', J. simpl. lia.
  - rewrite twin_piece. destruct E as [E|E]; [left; rewrite E; reflexivity | right; congruence].
  - exists k'. rewrite twin_piece, K. reflexivity.
  - rewrite in_map_half_turn, half_turn_twice. exact N.
Qed.

Lemma twin_jump_back : forall p from k taken q over q', inside q = true ->
  jump b (twin p) (half_turn from) k (map half_turn taken) (half_turn q) over q' ->
  jump b p from k taken q (half_turn over) (half_turn q').
Proof.
  intros p from k taken q over q' I J. apply twin_jump in J; [|rewrite half_turn_inside; exact I].
  rewrite map_twice, !half_turn_twice in J. apply (jump_same b (twin (twin p))), J.
  apply twin_twice.
Qed.

Lemma twin_jumps : forall p from k taken q taken' to, inside q = true ->
  jumps b p from k taken q taken' to ->
  inside to = true /\
  jumps b (twin p) (half_turn from) k (map half_turn taken) (half_turn q)
    (map half_turn taken') (half_turn to).
Proof.
  intros p from k taken q taken' to I J.
  induction J as [taken q N | taken q over q' taken' to J K IH].
  - split; [exact I|]. apply jumps_end. intros over q' J. apply (N (half_turn over) (half_turn q')).
    apply twin_jump_back; assumption.
  - destruct IH as [T IH]; [apply on_board_inside, J|]. split; [exact T|].
    apply jumps_on with (half_turn over) (half_turn q'); [apply twin_jump; assumption | exact IH].
Qed.

Lemma twin_result : forall p p' from to taken k, inside to = true ->
  result b p p' from to taken k ->
  result b (twin p) (twin p') (half_turn from) (half_turn to) (map half_turn taken) k.
Proof.
  intros p p' from to taken k I [A [[k' [B1 B2]] [C D]]]. unfold result.
  change (half_turn from :: map half_turn taken) with (map half_turn (from :: taken)).
  split; [simpl; congruence|]. split; [|split].
  - exists k'. change (turn (twin p)) with (other (turn p)). rewrite twin_piece, B2.
    split; [|reflexivity]. unfold crowned in *. rewrite half_turn_last_row by exact I. exact B1.
  - intros q N J. simpl. rewrite C; [reflexivity | | apply in_map_half_turn, J].
    intros <-. apply N. symmetry. apply half_turn_twice.
  - intros q N J. simpl. rewrite D; [reflexivity | |].
    + intros <-. apply N. symmetry. apply half_turn_twice.
    + intros K. apply J, in_map_half_turn, K.
Qed.

Lemma twin_own : forall p q k, own p q k -> own (twin p) (half_turn q) k.
Proof. intros p q k O. unfold own in *. rewrite twin_piece, O. reflexivity. Qed.

(** Moves of one are moves of the other. *)
Lemma twin_move_forth : forall p p', move b p p' -> move b (twin p) (twin p').
Proof.
  intros p p' [from k over q taken to O F J K R | from k to N O F S B X R].
  - destruct (twin_jumps p from k [over] q taken to) as [T L];
      [apply on_board_inside, J | exact K |].
    apply capture with (half_turn from) k (half_turn over) (half_turn q) (map half_turn taken)
      (half_turn to).
    + apply twin_own, O.
    + apply half_turn_on_board, F.
    + apply (twin_jump p from k [] from over q); [apply on_board_inside, F | exact J].
    + exact L.
    + apply twin_result; assumption.
  - pose proof (on_board_inside _ F) as I. pose proof (on_board_inside _ B) as J.
    apply quiet with (half_turn from) k (half_turn to).
    + intros q k' over q' Q G H. apply (N (half_turn q) k' (half_turn over) (half_turn q')).
      * unfold own in *. simpl in Q. destruct (piece p (half_turn q)) as [[s k1]|]; [|discriminate].
        injection Q as E <-. f_equal. f_equal. rewrite <- (other_twice s), E. apply other_twice.
      * apply half_turn_on_board, G.
      * apply (twin_jump_back p (half_turn q) k' [] (half_turn q) over q').
        -- rewrite half_turn_inside. apply on_board_inside, G.
        -- simpl. rewrite half_turn_twice. exact H.
    + apply twin_own, O.
    + apply half_turn_on_board, F.
    + apply half_turn_step; assumption.
    + apply half_turn_on_board, B.
    + rewrite twin_piece, X. reflexivity.
    + apply (twin_result p p' from to []); assumption.
Qed.

Theorem twin_move : forall p p', move b p p' <-> move b (twin p) (twin p').
Proof.
  intros p p'. split; [apply twin_move_forth|]. intros M. apply twin_move_forth in M.
  apply (move_same b _ p) in M; [|apply twin_twice].
  exact (move_same_right _ _ _ (twin_twice p') M).
Qed.

(** Where a position leads is where its twin leads. *)
Lemma same_twin_move : forall p q q', same q (twin p) -> move b q q' -> move b p (twin q').
Proof.
  intros p q q' S M. apply twin_move_forth in M.
  apply (move_same b _ p) in M; [exact M | apply twin_swap, S].
Qed.

Lemma same_twin_turn : forall p q x, same q (twin p) -> turn p = x -> turn q = other x.
Proof. intros p q x [T _] <-. exact T. Qed.

Lemma same_twin_turn_back : forall p q x, same q (twin p) -> turn q = other x -> turn p = x.
Proof.
  intros p q x [T _] E. simpl in T. rewrite E in T.
  rewrite <- (other_twice x), T. symmetry. apply other_twice.
Qed.

(** * Outcomes *)

Lemma twin_win : forall x p, Win b x p -> forall q, same q (twin p) -> Win b (other x) q.
Proof.
  intros x p W. induction W as [p p' T M _ IH | p T _ IH]; intros q S.
  - apply win_mine with (twin p').
    + exact (same_twin_turn _ _ _ S T).
    + apply (move_same b (twin p)); [apply same_sym, S | apply twin_move_forth, M].
    + apply IH. split; reflexivity.
  - apply win_theirs; [exact (same_twin_turn _ _ _ S T)|]. intros q' M.
    apply (IH (twin q')); [exact (same_twin_move _ _ _ S M) | apply same_sym, twin_twice].
Qed.

Section NotLost.
Variables (x : side) (f : plan) (start : position).

(** The game that is played meanwhile with the board turned back: [f] has chosen the moves of [x],
    and the others are the opponent's. *)
Fixpoint back (game : list position) : list position :=
  match game with
  | [] => []
  | p :: past =>
    match past with
    | [] => start
    | before :: _ => if side_eqb (turn before) (other x) then f (back past) else twin p
    end :: back past
  end.

Lemma play_back : forall begin past p, same begin (twin start) ->
  play b (other x) (fun game => twin (f (back game))) begin past p ->
  exists o, back (p :: past) = o :: back past /\ same p (twin o) /\ play b x f start (back past) o.
Proof.
  intros begin past p S P. induction P as [ | past p P IH T M | past p p' P IH T M].
  - exists start. split; [reflexivity|]. split; [exact S | apply play_start].
  - destruct IH as [o [E [So Po]]].
    exists (f (back (p :: past))). split; [|split].
    + cbn [back]. rewrite (proj2 (side_eqb_spec _ _) T). reflexivity.
    + split; reflexivity.
    + rewrite E in *. apply play_mine; [exact Po | exact (same_twin_turn_back _ _ _ So T) |].
      apply (same_twin_move _ _ _ So) in M.
      exact (move_same_right _ _ _ (twin_twice _) M).
  - destruct IH as [o [E [So Po]]]. rewrite other_twice in T.
    exists (twin p'). split; [|split].
    + cbn [back]. rewrite T. replace (side_eqb x (other x)) with false by (destruct x; reflexivity).
      reflexivity.
    + apply same_sym, twin_twice.
    + rewrite E. apply play_theirs; [exact Po | | exact (same_twin_move _ _ _ So M)].
      apply (same_twin_turn_back _ _ _ So). rewrite other_twice. exact T.
Qed.
End NotLost.

Lemma twin_not_lost : forall x p, NotLost b x p -> forall q, same q (twin p) ->
  NotLost b (other x) q.
Proof.
  intros x p [f H] q S. exists (fun game => twin (f (back x f p game))). intros past r P T.
  destruct (play_back x f p q past r S P) as [o [E [So Po]]]. rewrite E.
  apply (move_same b (twin o)); [apply same_sym, So|]. apply twin_move_forth.
  apply H; [exact Po | exact (same_twin_turn_back _ _ _ So T)].
Qed.

(** A claim holds of a position if and only if the claim with the sides exchanged holds of its
    twin: a claim of White is that of Black about the turned board. *)
Theorem twin_holds : forall p q c, same q (twin p) ->
  (holds b p c <-> holds b q (twin_claim c)).
Proof.
  assert (G : forall p q c, same q (twin p) -> holds b p c -> holds b q (twin_claim c)).
  { intros p q [|x|x] S; simpl.
    - intros [B W]. split;
        [exact (twin_not_lost White p W q S) | exact (twin_not_lost Black p B q S)].
    - intros N. exact (twin_not_lost x p N q S).
    - intros W. exact (twin_win x p W q S). }
  intros p q c S. split; [apply G, S|]. intros H.
  assert (E : twin_claim (twin_claim c) = c)
    by (destruct c as [|x|x]; simpl; rewrite ?other_twice; reflexivity).
  rewrite <- E. apply (G q); [apply same_sym, twin_swap, S | exact H].
Qed.
End Board.
