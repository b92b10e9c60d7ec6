(* What shows that the specification is neither empty nor contradictory. *)
From Coq Require Import List Arith Lia Bool Uint63.
From Draughtproof Require Import Spec Plans Squares Rules Moves Game.
Import ListNotations.
Local Open Scope nat_scope.

(** * Exact values exclude each other *)

Theorem win_no_win : forall b x p, Win b x p -> ~ Win b (other x) p.
Proof.
  assert (D : forall x, x <> other x) by (intros []; discriminate).
  intros b x p W. induction W as [p p' T M W IH | p T H IH]; intros V.
  - inversion V as [q q' U _ _ | q U A]; subst; [destruct (D (turn p)); congruence|].
    exact (IH (A p' M)).
  - inversion V as [q q' U N V' | q U _]; subst; [exact (IH q' N V')|].
    destruct (D (other x)). congruence.
Qed.

Theorem draw_no_win : forall b x p, holds b p Draw -> ~ holds b p (Wins x).
Proof.
  intros b x p [B W] H. destruct x; [exact (not_lost_no_win _ _ _ W H)|].
  exact (not_lost_no_win _ _ _ B H).
Qed.

Theorem values_exclude : forall b p x y, holds b p (Wins x) -> holds b p (Wins y) -> x = y.
Proof.
  intros b p x y X Y. destruct x, y; try reflexivity; destruct (win_no_win _ _ _ X Y).
Qed.

(** * Starts and positions exist, and are determined *)

Theorem start_exists : forall b n, exists p, game_start b n p.
Proof.
  intros b n. eexists {| turn := Black; piece := _ |}. split; [reflexivity|]. intros q.
  reflexivity.
Qed.

Theorem start_unique : forall b n p p', game_start b n p -> game_start b n p' -> same p p'.
Proof.
  intros b n p p' [T P] [T' P']. split; [congruence|]. intros q. rewrite P, P'. reflexivity.
Qed.

(** In a game that exists each side has a man at least, and no square is of both. *)
Theorem start_rows : forall b n p, game_exists b n -> game_start b n p ->
  (forall r c, r < n -> on_board b (r, c) -> piece p (r, c) = Some (Black, Man)) /\
  (forall r c, rows b - n <= r -> on_board b (r, c) -> piece p (r, c) = Some (White, Man)) /\
  exists c, on_board b (0, c) /\ exists c', on_board b (rows b - 1, c').
Proof.
  intros b n p [[R [C E]] [N D]] [_ P].
  pose proof (Nat.div2_odd (rows b)) as H. simpl in H.
  assert (L : 2 * n <= rows b) by (destruct (Nat.odd (rows b)); simpl in H; lia).
  split; [|split].
  - intros r c K [A [B O]]. rewrite P. simpl in *. rewrite O.
    rewrite (proj2 (Nat.ltb_lt _ _) A), (proj2 (Nat.ltb_lt _ _) B), (proj2 (Nat.ltb_lt _ _) K).
    reflexivity.
  - intros r c K [A [B O]]. rewrite P. simpl in *. rewrite O.
    rewrite (proj2 (Nat.ltb_lt _ _) A), (proj2 (Nat.ltb_lt _ _) B).
    assert (Z : (r <? n) = false) by (apply Nat.ltb_ge; lia).
    rewrite Z, (proj2 (Nat.leb_le _ _) K). reflexivity.
  - assert (G : forall r, r < rows b -> exists c, on_board b (r, c)).
    { intros r K. destruct (Nat.odd r) eqn:O.
      - exists 0. unfold on_board. simpl. rewrite Nat.add_0_r. split; [exact K|].
        split; [lia | exact O].
      - exists 1. unfold on_board. simpl. split; [exact K|]. split; [lia|].
        rewrite Nat.odd_add, O. reflexivity. }
    destruct (G 0) as [c O]; [lia|]. exists c. split; [exact O|]. apply G. lia.
Qed.

Theorem placed_exists : forall b t pieces, length pieces = length (squares b) ->
  exists p, placed b t pieces p.
Proof.
  intros b t pieces L.
  exists {| turn := t; piece := fun q => if is_square b q then nth (index q (squares b)) pieces None
    else None |}.
  split; [reflexivity|]. split; [exact L|]. split; simpl.
  - intros n q N. assert (Q : In q (squares b)) by exact (nth_error_In _ _ N).
    rewrite (proj2 (is_square_spec b q) Q).
    assert (I : n = index q (squares b)).
    { apply (proj1 (NoDup_nth_error (squares b)) (squares_nodup b)).
      - apply nth_error_Some. congruence.
      - rewrite N. symmetry. apply index_nth, Q. }
    subst n. apply nth_error_nth'. rewrite L. apply index_length, Q.
  - intros q Q. destruct (is_square b q) eqn:S; [|reflexivity]. apply is_square_spec in S.
    contradiction.
Qed.

Theorem placed_unique : forall b t pieces p p', placed b t pieces p -> placed b t pieces p' ->
  same p p'.
Proof.
  intros b t pieces p p' [T [_ [P N]]] [T' [_ [P' N']]]. split; [congruence|]. intros q.
  destruct (is_square b q) eqn:S.
  - apply is_square_spec in S. pose proof (index_nth _ _ S) as I.
    specialize (P _ _ I). specialize (P' _ _ I). congruence.
  - assert (O : ~ In q (squares b)) by (intros I; apply is_square_spec in I; congruence).
    rewrite N, N' by exact O. reflexivity.
Qed.

(** Each valid statement is about a position that there is. *)
Theorem valid_begins : forall st, valid st -> exists p, begins st p.
Proof.
  intros [b [n | t pieces] c] V; unfold begins; simpl in *; [apply start_exists|].
  apply placed_exists, V.
Qed.

(** No two values of a start are provable at once. *)
Theorem means_exclude : forall b s x,
  means {| the_board := b; the_start := s; the_claim := Draw |} ->
  ~ means {| the_board := b; the_start := s; the_claim := Wins x |}.
Proof.
  intros b s x [V D] [_ W]. destruct (valid_begins _ V) as [p P].
  exact (draw_no_win b x p (D p P) (W p P)).
Qed.

(** * Kings *)

Definition board_8x8 : board := {| rows := 8; columns := 8 |}.
Definition black_king_takes (at_ : int) (of_white : int) : packed :=
  {| black := one at_; white := of_white; kings := one at_; to_move := Black |}.
Definition alone (at_ of_white : int) : packed :=
  {| black := one at_; white := of_white; kings := one at_; to_move := White |}.

(** Around a circle: a king on 22 takes 18, 19, 27 and 26 and ends where it began. *)
Definition four : int := (one 17 lor one 18 lor one 25 lor one 26)%uint63.
Example circle : forall p',
  move board_8x8 (unpack board_8x8 (black_king_takes 21 four)) p' <->
  same p' (unpack board_8x8 (alone 21 0)).
Proof.
  intros p'. rewrite (successors_moves board_8x8) by (vm_compute; reflexivity || lia).
  split.
  - intros [e' [I S]]. vm_compute in I. destruct I as [<-|[<-|[]]]; exact S.
  - intros S. eexists. split; [vm_compute; left; reflexivity | exact S].
Qed.

(** With a man on 17 the king passes the square where it began and goes on to 13; it may also take
    that man alone, as it need not take as many as it can. *)
Example pass : forall p',
  move board_8x8 (unpack board_8x8 (black_king_takes 21 (four lor one 16)%uint63)) p' <->
  same p' (unpack board_8x8 (alone 12 0)) \/ same p' (unpack board_8x8 (alone 12 four)).
Proof.
  intros p'. rewrite (successors_moves board_8x8) by (vm_compute; reflexivity || lia).
  split.
  - intros [e' [I S]]. vm_compute in I.
    repeat (destruct I as [<-|I]; [first [left; exact S | right; exact S]|]). destruct I.
  - intros [S|S]; eexists; (split; [|exact S]); vm_compute; tauto.
Qed.

(** A man that takes its way to the last row ends there, though a king could go on: from 22 over 26
    to 31, where 27 could be taken next. *)
Example crowning : forall p',
  move board_8x8 (unpack board_8x8 {| black := one 21; white := (one 25 lor one 26)%uint63;
    kings := 0; to_move := Black |}) p' <->
  same p' (unpack board_8x8 (alone 30 (one 26))).
Proof.
  intros p'. rewrite (successors_moves board_8x8) by (vm_compute; reflexivity || lia).
  split.
  - intros [e' [I S]]. vm_compute in I. destruct I as [<-|[]]; exact S.
  - intros S. eexists. split; [vm_compute; left; reflexivity | exact S].
Qed.
