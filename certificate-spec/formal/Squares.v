(* Sets of squares as bit masks: bit n - 1 stands for square n, as in SPEC.md, 1.1. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63 FinFun.
From Draughtproof Require Import Spec.
Import ListNotations.
Local Open Scope nat_scope.

(** * Bits *)

Definition one (i : int) : int := (1 << i)%uint63.
Definition without (x y : int) : int := (x lxor (x land y))%uint63.

Lemma bit_one : forall i j, (i <? digits)%uint63 = true -> bit (one i) j = (i =? j)%uint63.
Proof.
  intros i j L. unfold one. rewrite bit_lsl.
  assert (Li : (to_Z i < 63)%Z) by (apply ltb_spec in L; exact L).
  destruct (j <? i)%uint63 eqn:A.
  - simpl. symmetry. apply eqb_false_complete. intros ->. apply ltb_spec in A. lia.
  - destruct (digits <=? j)%uint63 eqn:B.
    + simpl. symmetry. apply eqb_false_complete. intros ->. apply leb_spec in B.
      change (to_Z digits) with 63%Z in B. lia.
    + simpl. rewrite bit_1.
      assert (Gj : (to_Z i <= to_Z j)%Z).
      { destruct (Z.le_gt_cases (to_Z i) (to_Z j)) as [G|G]; [exact G|].
        apply ltb_spec in G. congruence. }
      destruct (j - i =? 0)%uint63 eqn:D; symmetry.
      * apply eqb_spec in D. apply eqb_spec. apply to_Z_inj.
        assert (E : to_Z (j - i) = 0%Z) by (rewrite D; reflexivity).
        rewrite sub_spec in E. pose proof (to_Z_bounded i). pose proof (to_Z_bounded j).
        rewrite Z.mod_small in E by lia. lia.
      * apply eqb_false_complete. intros ->. apply eqb_false_correct in D. apply D.
        apply to_Z_inj. rewrite sub_spec, Z.sub_diag. reflexivity.
Qed.

Lemma bit_without : forall x y i, bit (without x y) i = (bit x i && negb (bit y i))%bool.
Proof.
  intros x y i. unfold without. rewrite lxor_spec, land_spec.
  destruct (bit x i), (bit y i); reflexivity.
Qed.

Definition mask (l : list int) : int := fold_right (fun i x => one i lor x)%uint63 0%uint63 l.

Lemma bit_mask : forall l j, (forall i, In i l -> (i <? digits)%uint63 = true) ->
  (bit (mask l) j = true <-> In j l).
Proof.
  induction l as [|i l IH]; intros j H; simpl.
  - rewrite bit_0. split; [discriminate | tauto].
  - rewrite lor_spec, bit_one by (apply H; left; reflexivity).
    rewrite orb_true_iff, eqb_spec, IH; [tauto|].
    intros k K. apply H. right. exact K.
Qed.

(** * Numbers of squares *)

Definition same_square (q q' : square) : bool := (fst q =? fst q') && (snd q =? snd q').

Lemma same_square_spec : forall q q', same_square q q' = true <-> q = q'.
Proof.
  intros [r c] [r' c']. unfold same_square. simpl.
  rewrite andb_true_iff, !Nat.eqb_eq. split; [intros [-> ->]; reflexivity | intros [= -> ->]; auto].
Qed.

Lemma same_square_refl : forall q, same_square q q = true.
Proof. intros q. apply same_square_spec. reflexivity. Qed.

(** The place of a square in a list, from 0. *)
Fixpoint index (q : square) (l : list square) : nat :=
  match l with [] => 0 | x :: rest => if same_square q x then 0 else S (index q rest) end.

Lemma index_nth : forall l q, In q l -> nth_error l (index q l) = Some q.
Proof.
  induction l as [|x l IH]; intros q H; [destruct H|]. simpl.
  destruct (same_square q x) eqn:E.
  - apply same_square_spec in E. subst. reflexivity.
  - simpl. apply IH. destruct H as [-> | H]; [|exact H].
    rewrite same_square_refl in E. discriminate.
Qed.

Lemma index_length : forall l q, In q l -> index q l < length l.
Proof. intros l q H. apply nth_error_Some. rewrite index_nth by exact H. discriminate. Qed.

Lemma list_prod_nodup : forall (A B : Type) (l : list A) (m : list B),
  NoDup l -> NoDup m -> NoDup (list_prod l m).
Proof.
  intros A B l m Hl Hm. induction Hl as [|x l Hx Hl IH]; simpl; [constructor|].
  assert (G : forall (u v : list (A * B)), NoDup u -> NoDup v ->
    (forall z, In z u -> ~ In z v) -> NoDup (u ++ v)).
  { clear. induction u as [|z u IH]; intros v Hu Hv D; simpl; [exact Hv|].
    inversion Hu as [|? ? Hz Hu']; subst. constructor.
    - rewrite in_app_iff. intros [K|K]; [tauto|]. apply (D z); [left; reflexivity | exact K].
    - apply IH; [exact Hu' | exact Hv |]. intros w W. apply D. right. exact W. }
  apply G.
  - apply Injective_map_NoDup; [|exact Hm]. intros a c [= ->]. reflexivity.
  - exact IH.
  - intros [a c] H K. apply in_map_iff in H. destruct H as [y [[= <- <-] _]].
    apply in_prod_iff in K. tauto.
Qed.

Section Board.
Variable b : board.

Lemma squares_nodup : NoDup (squares b).
Proof. apply NoDup_filter. apply list_prod_nodup; apply seq_NoDup. Qed.

Lemma in_squares : forall q, In q (squares b) <-> on_board b q.
Proof.
  intros [r c]. unfold squares, on_board.
  rewrite filter_In. unfold square. rewrite in_prod_iff, !in_seq. cbn [fst snd]. intuition lia.
Qed.

Definition is_square (q : square) : bool :=
  ((fst q <? rows b) && (snd q <? columns b) && Nat.odd (fst q + snd q))%bool.

Lemma is_square_spec : forall q, is_square q = true <-> In q (squares b).
Proof.
  intros q. rewrite in_squares. unfold is_square, on_board.
  rewrite !andb_true_iff, !Nat.ltb_lt. tauto.
Qed.

(** The number of a square, less one: its bit. *)
Definition num (q : square) : int := of_Z (Z.of_nat (index q (squares b))).

(** All that follows is about boards whose squares fit into a mask. *)
Definition small : Prop := length (squares b) < 63.
Hypothesis fits : small.

Lemma to_Z_num : forall q, In q (squares b) -> to_Z (num q) = Z.of_nat (index q (squares b)).
Proof.
  intros q Q. unfold num. rewrite of_Z_spec. apply Z.mod_small.
  pose proof (index_length _ _ Q) as L. unfold small in fits. split; [lia|].
  apply Z.lt_trans with 63%Z; [lia | reflexivity].
Qed.

Lemma num_small : forall q, In q (squares b) -> (num q <? digits)%uint63 = true.
Proof.
  intros q Q. apply ltb_spec. rewrite to_Z_num by exact Q. change (to_Z digits) with 63%Z.
  pose proof (index_length _ _ Q) as L. unfold small in fits. lia.
Qed.

Lemma num_inj : forall q q', In q (squares b) -> In q' (squares b) -> num q = num q' -> q = q'.
Proof.
  intros q q' Q Q' E.
  assert (N : index q (squares b) = index q' (squares b)).
  { apply Nat2Z.inj. rewrite <- !to_Z_num by assumption. rewrite E. reflexivity. }
  pose proof (index_nth _ _ Q) as A. pose proof (index_nth _ _ Q') as B. congruence.
Qed.

Lemma num_eqb : forall q q', In q (squares b) -> In q' (squares b) ->
  (num q =? num q')%uint63 = same_square q q'.
Proof.
  intros q q' Q Q'. destruct (same_square q q') eqn:E.
  - apply same_square_spec in E. subst. apply eqb_refl.
  - apply eqb_false_complete. intros K. apply num_inj in K; [|assumption|assumption].
    subst. rewrite same_square_refl in E. discriminate.
Qed.

(** The mask of a list of squares, and of all. *)
Definition mask_of (l : list square) : int := mask (map num l).

Lemma bit_mask_of : forall l q, incl l (squares b) -> In q (squares b) ->
  (bit (mask_of l) (num q) = true <-> In q l).
Proof.
  intros l q L Q. unfold mask_of. rewrite bit_mask.
  - rewrite in_map_iff. split.
    + intros [x [E X]]. apply num_inj in E; [subst; exact X | apply L, X | exact Q].
    + intros X. exists q. auto.
  - intros i I. apply in_map_iff in I. destruct I as [x [<- X]]. apply num_small, L, X.
Qed.

(** A mask with no bit but those of squares. *)
Definition within (x : int) : Prop := (x land mask_of (squares b))%uint63 = x.

Lemma within_bit : forall x i, within x -> bit x i = true -> exists q, In q (squares b) /\
  i = num q.
Proof.
  intros x i W B. unfold within in W. rewrite <- W, land_spec, andb_true_iff in B.
  destruct B as [_ B]. unfold mask_of in B. apply bit_mask in B.
  - apply in_map_iff in B. destruct B as [q [<- Q]]. exists q. auto.
  - intros j J. apply in_map_iff in J. destruct J as [q [<- Q]]. apply num_small, Q.
Qed.

Lemma within_mask_of : forall l, incl l (squares b) -> within (mask_of l).
Proof.
  intros l L. unfold within. apply bit_ext. intros i. rewrite land_spec.
  destruct (bit (mask_of l) i) eqn:B; [|reflexivity]. simpl.
  unfold mask_of in *. apply bit_mask in B.
  - apply bit_mask.
    + intros j J. apply in_map_iff in J. destruct J as [q [<- Q]]. apply num_small, Q.
    + apply in_map_iff in B. destruct B as [q [<- Q]]. apply in_map, L, Q.
  - intros j J. apply in_map_iff in J. destruct J as [q [<- Q]]. apply num_small, L, Q.
Qed.

Lemma within_ext : forall x y, within x -> within y ->
  (forall q, In q (squares b) -> bit x (num q) = bit y (num q)) -> x = y.
Proof.
  intros x y X Y E. apply bit_ext. intros i.
  destruct (bit x i) eqn:Bx.
  - destruct (within_bit _ _ X Bx) as [q [Q ->]]. rewrite <- E by exact Q. symmetry. exact Bx.
  - destruct (bit y i) eqn:By; [|reflexivity].
    destruct (within_bit _ _ Y By) as [q [Q ->]]. rewrite E in Bx by exact Q. congruence.
Qed.

End Board.

(** The squares of a board of SPEC.md, 1, fit into a mask. *)
Lemma exists_small : forall b, board_exists b -> small b.
Proof.
  intros [r c] [[_ R] [[_ C] _]]. simpl in R, C. unfold small. apply Nat.ltb_lt.
  do 9 (destruct r as [|r]; [do 9 (destruct c as [|c]; [reflexivity|]); lia|]). lia.
Qed.
