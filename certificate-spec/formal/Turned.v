(* Twins as masks, and the values of a table for them: what is judged with White to move need not
   be judged with Black to move. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Game Twin TwinFen Cover Successor
  Database.
Import ListNotations.
Local Open Scope nat_scope.

(** * The half-turn of a mask *)

(** Exchanges the bits of [m] with those [n] places higher. *)
Definition swap (m n x : int) : int := (((x land m) << n) lor ((x >> n) land m))%uint63.
(** The lowest 32 bits from the last to the first. *)
Definition reverse (x : int) : int :=
  swap 0x0000ffff 16 (swap 0x00ff00ff 8 (swap 0x0f0f0f0f 4 (swap 0x33333333 2
    (swap 0x55555555 1 x)))).

Definition bits_32 : list int := map (fun n => of_Z (Z.of_nat n)) (seq 0 32).

Definition stage (mn : int * int) : int -> int := swap (fst mn) (snd mn).
Definition stages : list (int * int) := [(0x55555555, 1); (0x33333333, 2); (0x0f0f0f0f, 4);
  (0x00ff00ff, 8); (0x0000ffff, 16)]%uint63.

Lemma bit_stage : forall x mn, In mn stages -> forall i, In i bits_32 ->
  bit (stage mn x) i = bit x (i lxor snd mn)%uint63.
Proof.
  intros x [m n] M.
  assert (F : Forall (fun i => ((if (i <? n)%uint63 || (digits <=? i)%uint63 then false
       else bit x (i - n) && bit m (i - n)) ||
      ((if (i <=? n + i)%uint63 then bit x (n + i)%uint63 else false) && bit m i))%bool
    = bit x (i lxor n)%uint63) bits_32).
  { simpl in M. vm_compute bits_32.
    repeat (destruct M as [[= <- <-]|M];
      [repeat (apply Forall_cons; [vm_compute; repeat destruct (PrimInt63.eqb _ _); reflexivity|]);
        apply Forall_nil|]).
    destruct M. }
  rewrite Forall_forall in F. intros i I. unfold stage, swap. cbn [fst snd].
  rewrite <- (F i I).
  rewrite lor_spec, bit_lsl, !land_spec, bit_lsr. reflexivity.
Qed.

Lemma stage_closed : Forall (fun mn => Forall (fun i => In (i lxor snd mn)%uint63 bits_32) bits_32)
  stages.
Proof.
  vm_compute bits_32.
  repeat (apply Forall_cons; [repeat (apply Forall_cons; [vm_compute; tauto|]); apply Forall_nil|]).
  apply Forall_nil.
Qed.

Lemma bit_reverse : forall x i, In i bits_32 -> bit (reverse x) i = bit x (31 - i)%uint63.
Proof.
  intros x i I. pose proof stage_closed as C. rewrite Forall_forall in C.
  assert (D : forall mn, In mn stages -> forall i, In i bits_32 ->
    In (i lxor snd mn)%uint63 bits_32).
  { intros mn M. specialize (C mn M). rewrite Forall_forall in C. exact C. }
  unfold reverse. change (swap 65535 16) with (stage (65535, 16)%uint63).
  change (swap 16711935 8) with (stage (16711935, 8)%uint63).
  change (swap 252645135 4) with (stage (252645135, 4)%uint63).
  change (swap 858993459 2) with (stage (858993459, 2)%uint63).
  change (swap 1431655765 1) with (stage (1431655765, 1)%uint63).
  assert (S1 : In (65535, 16)%uint63 stages) by (simpl; auto 6).
  assert (S2 : In (16711935, 8)%uint63 stages) by (simpl; auto 6).
  assert (S3 : In (252645135, 4)%uint63 stages) by (simpl; auto 6).
  assert (S4 : In (858993459, 2)%uint63 stages) by (simpl; auto 6).
  assert (S5 : In (1431655765, 1)%uint63 stages) by (simpl; auto 6).
  rewrite !bit_stage by auto 8. cbn [snd]. f_equal.
  assert (F : Forall (fun i => (i lxor 16 lxor 8 lxor 4 lxor 2 lxor 1 = 31 - i)%uint63) bits_32).
  { vm_compute bits_32. repeat (apply Forall_cons; [vm_compute; reflexivity|]). apply Forall_nil. }
  rewrite Forall_forall in F. exact (F i I).
Qed.

(** * The twin of a position *)

Definition flip (g : geometry) (x : int) : int := ((reverse x >> unused g) land all g)%uint63.
Definition turned (g : geometry) (e : packed) : packed :=
  {| black := flip g (white e); white := flip g (black e); kings := flip g (kings e);
     to_move := other (to_move e) |}.

(** The value in a table of positions with Black to move, and the depth. *)
Definition for_both {A : Type} (g : geometry) (f : packed -> A) (e : packed) : A :=
  match to_move e with Black => f e | White => f (turned g e) end.

(** * The numbers of turned squares, by evaluation for all boards at once *)

Definition boards : list board :=
  filter (fun b => Nat.even (rows b + columns b))
    (map (fun rc => {| rows := fst rc; columns := snd rc |}) (list_prod (seq 3 6) (seq 2 7))).

Lemma among_boards : forall b, board_exists b -> In b boards.
Proof.
  intros [r c] [R [C E]]. cbn [rows columns] in R, C, E. apply filter_In. split; [|exact E].
  apply in_map_iff. exists (r, c). split; [reflexivity|].
  apply in_prod; apply in_seq; lia.
Qed.

Definition turned_squares (b : board) : bool :=
  let u := unused (make_geometry b) in
  forallb (fun q => (num b (half_turn b q) =? 31 - (u + num b q))%uint63 &&
    existsb (eqb (u + num b q)) bits_32 && (num b q <=? u + num b q)%uint63) (squares b).

Lemma turned_on_boards : forallb turned_squares boards = true.
Proof. vm_compute. reflexivity. Qed.

Section Board.
Variable b : board.
Hypothesis exists_b : board_exists b.
Let g := make_geometry b.
Let sq := squares b.

Let fits : small b := exists_small b exists_b.
Let even : Nat.even (rows b + columns b) = true := proj2 (proj2 exists_b).

Lemma turned_number : forall q, In q sq ->
  num b (half_turn b q) = (31 - (unused g + num b q))%uint63 /\
  In (unused g + num b q)%uint63 bits_32 /\ (num b q <=? unused g + num b q)%uint63 = true.
Proof.
  pose proof turned_on_boards as F. rewrite forallb_forall in F.
  specialize (F b (among_boards b exists_b)). unfold turned_squares in F.
  intros q Q. rewrite forallb_forall in F. specialize (F q Q).
  rewrite !andb_true_iff, eqb_spec, existsb_exists in F. destruct F as [[N [i [I E]]] L].
  apply eqb_spec in E. subst i. auto.
Qed.

Lemma half_turn_square : forall q, In q sq -> In (half_turn b q) sq.
Proof.
  intros q Q. apply in_squares. apply half_turn_on_board; [exact even | apply in_squares, Q].
Qed.

Lemma bit_all : forall q, In q sq -> bit (all g) (num b q) = true.
Proof.
  intros q Q. change (all g) with (mask_of b (squares b)).
  apply (bit_mask_of b fits); [apply incl_refl | exact Q | exact Q].
Qed.

Lemma bit_flip : forall x q, In q sq -> bit (flip g x) (num b q) = bit x (num b (half_turn b q)).
Proof.
  intros x q Q. destruct (turned_number q Q) as [N [I L]]. unfold flip.
  rewrite land_spec, bit_lsr, L, (bit_reverse x _ I), (bit_all q Q), N. apply andb_true_r.
Qed.

Lemma within_flip : forall x, within b (flip g x).
Proof.
  intros x. unfold within, flip. change (mask_of b (squares b)) with (all g).
  apply bit_ext. intros i. rewrite !land_spec. destruct (bit (all g) i);
    rewrite ?andb_true_r, ?andb_false_r; reflexivity.
Qed.

Lemma flip_twice : forall x, within b x -> flip g (flip g x) = x.
Proof.
  intros x W. apply (within_ext b fits); [apply within_flip | exact W |]. intros q Q.
  rewrite !bit_flip, half_turn_twice; [reflexivity | apply half_turn_square, Q | exact Q].
Qed.

Lemma flip_zero : forall x, within b x -> (flip g x =? 0)%uint63 = (x =? 0)%uint63.
Proof.
  assert (Z : flip g 0 = 0%uint63).
  { apply (within_ext b fits); [apply within_flip | |].
    - unfold within. apply bit_ext. intros i. rewrite land_spec, bit_0. reflexivity.
    - intros q Q. rewrite bit_flip, !bit_0 by exact Q. reflexivity. }
  intros x W. apply eq_true_iff_eq. rewrite !eqb_spec. split; intros E.
  - rewrite <- (flip_twice x W), E. exact Z.
  - rewrite E. exact Z.
Qed.

Lemma count_flip : forall x, count (map at_bit (cells g)) (flip g x)
  = count (map at_bit (cells g)) x.
Proof.
  intros x. unfold g. rewrite (bits_numbers b). fold g. unfold count.
  assert (M : forall (f : square -> int) y l, length (filter (bit y) (map f l))
    = length (filter (fun q => bit y (f q)) l)).
  { intros f y l. induction l as [|q l IH]; [reflexivity|]. simpl.
    destruct (bit y (f q)); simpl; rewrite IH; reflexivity. }
  rewrite !M. rewrite (filter_ext_in _ (fun q => bit x (num b (half_turn b q)))).
  - rewrite <- (M (fun q => num b (half_turn b q)) x), <- (map_map (half_turn b) (num b)),
      (squares_turned b even), M, filter_rev_swap, rev_length. reflexivity.
  - intros q Q. apply bit_flip, Q.
Qed.

Section Position.
Variable e : packed.
Hypothesis wf : well_formed g e = true.

Lemma turned_twice : turned g (turned g e) = e.
Proof.
  destruct (well_formed_within b e wf) as [B [W K]]. unfold turned.
  cbn [black white kings to_move]. rewrite !flip_twice, other_twice by assumption.
  destruct e; reflexivity.
Qed.

Lemma turned_same : same (unpack b (turned g e)) (twin b (unpack b e)).
Proof.
  split; [reflexivity|]. intros q. simpl.
  assert (S : is_square b (half_turn b q) = is_square b q).
  { apply eq_true_iff_eq. rewrite !is_square_spec. split; [|apply half_turn_square].
    intros H. rewrite <- (half_turn_twice b q). apply half_turn_square, H. }
  rewrite S. destruct (is_square b q) eqn:Q; [|reflexivity]. apply is_square_spec in Q.
  unfold look, kind_at, turned. cbn [black white kings]. rewrite !bit_flip by exact Q.
  pose proof (disjoint b e wf (num b (half_turn b q))) as D.
  destruct (bit (black e) _), (bit (white e) _); try reflexivity. destruct D; reflexivity.
Qed.

Lemma turned_well_formed : well_formed g (turned g e) = true.
Proof.
  assert (V : forall x i, within b x -> (bit x i && bit (mask_of b (squares b)) i)%bool = bit x i).
  { intros x i X. rewrite <- land_spec. f_equal. exact X. }
  assert (L : forall x y, within b x -> within b y -> within b (x lor y)%uint63).
  { intros x y X Y. unfold within. apply bit_ext. intros i. rewrite land_spec, lor_spec.
    rewrite <- (V x i X), <- (V y i Y).
    destruct (bit x i), (bit y i), (bit (mask_of b (squares b)) i); reflexivity. }
  assert (A : forall x y, within b x -> within b (x land y)%uint63).
  { intros x y X. unfold within. apply bit_ext. intros i. rewrite !land_spec.
    rewrite <- (V x i X).
    destruct (bit x i), (bit y i), (bit (mask_of b (squares b)) i); reflexivity. }
  unfold well_formed, turned. cbn [black white kings]. rewrite !andb_true_iff, !eqb_spec.
  split; [split|].
  - apply (within_ext b fits); [apply A, within_flip | unfold within; apply bit_ext; intros i;
      rewrite land_spec, bit_0; reflexivity |]. intros q Q.
    rewrite land_spec, bit_0, !bit_flip by exact Q.
    pose proof (disjoint b e wf (num b (half_turn b q))) as D.
    destruct (bit (black e) _), (bit (white e) _); try reflexivity. destruct D; reflexivity.
  - apply (within_ext b fits); [apply A, within_flip | apply within_flip |]. intros q Q.
    rewrite land_spec, lor_spec, !bit_flip by exact Q.
    pose proof (kings_are_pieces b e wf (num b (half_turn b q))) as P.
    destruct (bit (kings e) _); [|reflexivity].
    destruct P as [P|P]; [reflexivity | |]; rewrite P, ?orb_true_r; reflexivity.
  - apply L; apply within_flip.
Qed.

Lemma turned_in_cover : forall cover, in_cover g cover e = true ->
  in_cover g cover (turned g e) = true.
Proof.
  intros cover C. unfold in_cover in *. rewrite !andb_true_iff in *. destruct C as [[E N] P].
  destruct (well_formed_within b e wf) as [B [W K]]. split; [split|].
  - apply existsb_exists in E. destruct E as [c [I E]]. apply existsb_exists. exists c.
    split; [exact I|]. unfold fits_in, turned in *. cbn [black white]. rewrite !count_flip.
    rewrite !andb_true_iff, !Nat.leb_le in *. lia.
  - unfold turned. cbn [black white]. rewrite !flip_zero by assumption. rewrite orb_comm. exact N.
  - apply (possible_crowned b) in P. destruct P as [_ P]. apply (possible_crowned b).
    split; [exact turned_well_formed|]. intros s i X R.
    assert (I : within b (of_side s (turned g e))) by (destruct s; apply within_flip).
    destruct (within_bit b fits _ _ I X) as [q [Q ->]].
    assert (X' : bit (of_side (other s) e) (num b (half_turn b q)) = true)
      by (rewrite <- bit_flip by exact Q; destruct s; exact X).
    cbn [kings turned]. rewrite bit_flip by exact Q. apply (P _ _ X').
    apply (crown_row_spec b fits); [apply half_turn_square, Q|].
    apply half_turn_last_row; [apply (on_board_inside b), in_squares, Q|].
    apply (crown_row_spec b fits); assumption.
Qed.

End Position.

(** The successors of the twin are the twins of the successors. *)
Lemma turned_successor : forall e y, well_formed g e = true -> In y (successors g (turned g e)) ->
  exists y', In y' (successors g e) /\ y = turned g y' /\ well_formed g y' = true.
Proof.
  intros e y wf I. pose proof (turned_well_formed e wf) as W.
  assert (M : move b (unpack b (turned g e)) (unpack b y)).
  { apply (successors_moves b fits _ W). exists y. split; [exact I | split; reflexivity]. }
  apply (same_twin_move b even _ _ _ (turned_same e wf)), (successors_moves b fits e wf) in M.
  destruct M as [y' [I' S]]. pose proof (successor_well_formed b fits e wf y' I') as W'.
  exists y'. split; [exact I'|]. split; [|exact W'].
  apply (unpack_inj b fits);
    [exact (successor_well_formed b fits _ W y I) | exact (turned_well_formed y' W') |].
  apply same_trans with (twin b (unpack b y')); [|apply same_sym, turned_same, W'].
  apply same_sym, twin_swap, same_sym, S.
Qed.

(** * What is judged of one is judged of the other *)

Section Table.
Variables (table : packed -> value) (depth : packed -> int).
Let value_of := for_both g table.
Let depth_of := for_both g depth.

Lemma for_both_turned : forall (A : Type) (f : packed -> A) e, well_formed g e = true ->
  for_both g f (turned g e) = for_both g f e.
Proof.
  intros A f e W. unfold for_both. cbn [to_move turned]. rewrite (turned_twice e W).
  destruct (to_move e); reflexivity.
Qed.

Lemma mine_turned : forall e, well_formed g e = true ->
  (mine (turned g e) =? 0)%uint63 = (mine e =? 0)%uint63.
Proof.
  intros e W. destruct (well_formed_within b e W) as [B [H _]].
  unfold mine. cbn [to_move turned]. destruct (to_move e); simpl; apply flip_zero; assumption.
Qed.

Lemma value_turned : forall e, well_formed g e = true -> value_of (turned g e) = value_of e.
Proof. apply for_both_turned. Qed.

Lemma judge_turned : forall e, well_formed g e = true ->
  judge value_of (turned g e) = judge value_of e.
Proof.
  intros e W. unfold judge. rewrite mine_turned by exact W.
  rewrite value_turned by exact W. reflexivity.
Qed.

Lemma in_turned : forall e y, well_formed g e = true -> In y (successors g e) ->
  In (turned g y) (successors g (turned g e)) /\ well_formed g y = true.
Proof.
  intros e y W I. rewrite <- (turned_twice e W) in I.
  apply turned_successor in I; [|exact (turned_well_formed e W)].
  destruct I as [z [I [-> Z]]]. rewrite turned_twice by exact Z.
  split; [exact I | exact (turned_well_formed z Z)].
Qed.

Theorem consistent_turned : forall e, well_formed g e = true ->
  consistent g value_of (turned g e) = true -> consistent g value_of e = true.
Proof.
  intros e W. unfold consistent. rewrite (value_turned e W). destruct (value_of e).
  - rewrite !forallb_forall. intros H y I. destruct (in_turned e y W I) as [J Y].
    rewrite <- judge_turned by exact Y. apply H, J.
  - intros D. apply drawn_by_spec in D. destruct D as [A [D|[y [I D]]]]; [discriminate|].
    apply drawn_by_complete.
    + intros z Z. destruct (in_turned e z W Z) as [J Y]. rewrite <- judge_turned by exact Y.
      apply A, J.
    + destruct (turned_successor e y W I) as [z [J [-> Z]]]. exists z.
      rewrite judge_turned in D by exact Z. auto.
  - rewrite !existsb_exists. intros [y [I J]].
    destruct (turned_successor e y W I) as [z [K [-> Z]]].
    exists z. rewrite judge_turned in J by exact Z. auto.
Qed.

Theorem settled_turned : forall e, well_formed g e = true ->
  settled g value_of depth_of (turned g e) = true -> settled g value_of depth_of e = true.
Proof.
  intros e W. unfold settled. cbv zeta. rewrite (value_turned e W). unfold depth_of.
  destruct (value_of e); [| reflexivity |].
  - rewrite !forallb_forall. intros H y I. destruct (in_turned e y W I) as [J Y].
    specialize (H _ J). rewrite judge_turned, !for_both_turned in H by assumption. exact H.
  - rewrite !existsb_exists. intros [y [I J]].
    destruct (turned_successor e y W I) as [z [K [-> Z]]].
    exists z. split; [exact K|].
    rewrite mine_turned, (value_turned z Z), !for_both_turned in J by assumption. exact J.
Qed.
End Table.
End Board.
