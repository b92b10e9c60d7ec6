(* The FEN of a twin: squares are counted from the other end, and colours are exchanged. *)
From Coq Require Import List Arith Lia Bool.
From Draughtproof Require Import Spec Squares Twin.
Import ListNotations.

(** * The board, read backwards *)

Lemma rev_seq : forall n, rev (seq 0 n) = map (fun i => n - 1 - i) (seq 0 n).
Proof.
  induction n as [|n IH]; [reflexivity|].
  rewrite seq_S, rev_app_distr, IH. cbn [rev app Nat.add]. rewrite <- seq_S.
  cbn [seq map]. f_equal; [lia|]. rewrite <- seq_shift, map_map.
  apply map_ext. intros i. lia.
Qed.

Lemma rev_list_prod : forall (l m : list nat), rev (list_prod l m) = list_prod (rev l) (rev m).
Proof.
  intros l m.
  assert (A : forall (l' : list nat) (x : nat), list_prod (l' ++ [x]) (rev m)
    = list_prod l' (rev m) ++ map (fun y => (x, y)) (rev m)).
  { induction l' as [|y l' IH]; intros x; simpl; [apply app_nil_r|].
    rewrite IH. apply app_assoc. }
  induction l as [|x l IH]; simpl; [reflexivity|].
  rewrite rev_app_distr, IH, A, map_rev. reflexivity.
Qed.

Lemma list_prod_map : forall (f f' : nat -> nat) l m, list_prod (map f l) (map f' m)
  = map (fun q => (f (fst q), f' (snd q))) (list_prod l m).
Proof.
  intros f f' l m. induction l as [|x l IH]; simpl; [reflexivity|].
  rewrite IH, map_app, !map_map. reflexivity.
Qed.

Lemma filter_rev_swap : forall (A : Type) (f : A -> bool) l, filter f (rev l) = rev (filter f l).
Proof.
  intros A f l. induction l as [|x l IH]; [reflexivity|]. simpl.
  rewrite filter_app, IH. simpl. destruct (f x); simpl; [reflexivity | apply app_nil_r].
Qed.

Lemma filter_map_swap : forall (A : Type) (f : A -> bool) (h : A -> A) l,
  (forall x, In x l -> f (h x) = f x) -> filter f (map h l) = map h (filter f l).
Proof.
  intros A f h l. induction l as [|x l IH]; intros E; [reflexivity|]. simpl.
  rewrite E by (left; reflexivity). rewrite IH by (intros y Y; apply E; right; exact Y).
  destruct (f x); reflexivity.
Qed.

Lemma nth_all : forall (A : Type) (l m : list A),
  (forall n, nth_error l n = nth_error m n) -> l = m.
Proof.
  intros A l. induction l as [|x l IH]; intros [|y m] E; try (specialize (E 0); discriminate).
  - reflexivity.
  - f_equal; [specialize (E 0); simpl in E; congruence|]. apply IH. intros n. exact (E (S n)).
Qed.

Section Board.
Variable b : board.
Hypothesis even : Nat.even (rows b + columns b) = true.
Let turned (q : square) : square := (rows b - 1 - fst q, columns b - 1 - snd q).

(** The half-turn counts the squares from the other end. *)
Lemma squares_turned : map (half_turn b) (squares b) = rev (squares b).
Proof.
  assert (T : map (half_turn b) (squares b) = map turned (squares b)).
  { apply map_ext_in. intros q Q. apply in_squares, (on_board_inside b) in Q.
    unfold half_turn. rewrite Q. reflexivity. }
  rewrite T. unfold squares. rewrite <- filter_rev_swap, rev_list_prod, !rev_seq, list_prod_map.
  symmetry. apply filter_map_swap. intros q Q. destruct q as [r c].
  apply in_prod_iff in Q. rewrite !in_seq in Q. cbn [fst snd].
  pose proof even as E. apply Nat.even_spec in E. destruct E as [m E].
  apply eq_true_iff_eq. rewrite !Nat.odd_spec.
  split; intros [n N]; exists (m - n - 1 - 1); lia.
Qed.

Lemma placed_map : forall t pieces p, placed b t pieces p <->
  turn p = t /\ pieces = map (piece p) (squares b) /\
  forall q, ~ In q (squares b) -> piece p q = None.
Proof.
  intros t pieces p. unfold placed. split.
  - intros [T [L [P N]]]. split; [exact T|]. split; [|exact N].
    apply nth_all. intros n. rewrite nth_error_map.
    destruct (nth_error (squares b) n) as [q|] eqn:Q; simpl; [apply P, Q|].
    apply nth_error_None. apply nth_error_None in Q. lia.
  - intros [T [-> N]]. split; [exact T|]. split; [apply map_length|]. split; [|exact N].
    intros n q Q. apply map_nth_error, Q.
Qed.

(** The FEN of the twin: the other side to move, the contents of the squares from the last to the
    first with the colours exchanged. *)
Theorem twin_placed : forall t pieces p, placed b t pieces p ->
  placed b (other t) (rev (map exchanged pieces)) (twin b p).
Proof.
  intros t pieces p. rewrite !placed_map. intros [T [-> N]]. split; [simpl; congruence|]. split.
  - rewrite map_map, <- map_rev, <- squares_turned, map_map. apply map_ext. intros q.
    rewrite <- (twin_piece b), half_turn_twice. reflexivity.
  - intros q Q. simpl. rewrite N; [reflexivity|]. intros I. apply Q.
    apply in_squares. apply in_squares in I. rewrite <- (half_turn_twice b q).
    apply half_turn_on_board; [exact even | exact I].
Qed.
End Board.
