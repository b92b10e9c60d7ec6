(* The function [successors] gives exactly the positions that the relation [move] gives. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps.
Import ListNotations.
Local Open Scope nat_scope.

Section Board.
Variable b : board.
Hypothesis fits : small b.
Let sq := squares b.
Let g := make_geometry b.
Variable e : packed.
Hypothesis wf : well_formed g e = true.
Let p := unpack b e.
Let s := to_move e.

(** * The position after a move *)

Lemma crowned_once : forall s q k k1 k2, crowned b s q k k1 -> crowned b s q k k2 -> k1 = k2.
Proof.
  intros s0 q k k1 k2 [[-> A]|[-> [A N]]] [[-> B]|[-> [B M]]]; try reflexivity; exfalso.
  - destruct A as [A|A]; [congruence | contradiction].
  - destruct B as [B|B]; [congruence | contradiction].
Qed.

Section Result.
Variables (from to : square) (k : kind) (taken : list square) (tm : int).
Hypothesis from_in : In from sq.
Hypothesis to_in : In to sq.
Hypothesis owned : own p from k.
Hypothesis to_free : piece p to = None \/ to = from.
Hypothesis taken_theirs : forall q, In q taken -> In q sq /\ exists k',
  piece p q = Some (other s, k').
Hypothesis same_taken : agree b tm taken.
Let e' := moved g e k (num b from) (num b to) tm.
Let crown := match k with King => true | Man => bit (crown_row s g) (num b to) end.

Lemma mine_moved : forall q, In q sq ->
  bit (of_side s e') (num b q) = ((bit (mine e) (num b q) && negb (same_square from q)) ||
    same_square to q)%bool.
Proof.
  intros q Q. unfold e', moved. fold s. destruct s; simpl of_side;
  rewrite lor_spec, bit_without, !bit_one, !num_eqb by (try apply num_small; assumption);
    reflexivity.
Qed.

Lemma theirs_moved : forall q, bit (of_side (other s) e') q = (bit (theirs e) q &&
  negb (bit tm q))%bool.
Proof. intros q. unfold e', moved. fold s. destruct s; simpl of_side; apply bit_without. Qed.

Lemma kings_moved : forall q, In q sq -> bit (kings e') (num b q) =
  ((bit (kings e) (num b q) && negb (same_square from q || bit tm (num b q))) ||
    (crown && same_square to q))%bool.
Proof.
  intros q Q.
  assert (K : kings e'
    = (without (kings e) (one (num b from) lor tm) lor (if crown then one (num b to)
      else 0))%uint63).
  { unfold e', moved, crown. fold s. destruct s; reflexivity. }
  rewrite K, lor_spec, bit_without, lor_spec, bit_one, num_eqb by (try apply num_small; assumption).
  f_equal. destruct crown; [|apply bit_0].
  rewrite bit_one, num_eqb by (try apply num_small; assumption). reflexivity.
Qed.

Lemma to_move_moved : to_move e' = other s.
Proof. unfold e', moved. fold s. destruct s; reflexivity. Qed.

(** What stands where, of the side that has moved first. *)
Lemma look_moved : forall q, In q sq -> look e' (num b q) =
  if bit (of_side s e') (num b q) then Some (s, kind_at e' (num b q))
  else if bit (of_side (other s) e') (num b q) then Some (other s, kind_at e' (num b q)) else None.
Proof.
  intros q Q. pose proof (mine_moved q Q) as M. pose proof (theirs_moved (num b q)) as T.
  assert (N : bit (of_side s e') (num b q) = true -> bit (of_side (other s) e') (num b q) = true ->
    False).
  { rewrite M, T, orb_true_iff, andb_true_iff, andb_true_iff. intros [[A _]|A] [B _].
    - destruct (disjoint b e wf (num b q)).
      + revert A B. unfold mine, theirs, of_side. fold s. destruct s; auto.
      + revert A B. unfold mine, theirs, of_side. fold s. destruct s; auto.
    - apply same_square_spec in A. subst q. apply (look_theirs b e wf) in B. destruct B as [k' B].
      rewrite <- (piece_p b e) in B by exact to_in. fold p in B.
      destruct to_free as [F|F]; [congruence|].
      subst to. unfold own in owned. rewrite owned in B. injection B as B _.
      assert (X : forall z, z <> other z) by (intros []; discriminate). exact (X s B). }
  revert N. unfold look. destruct s; simpl of_side;
  destruct (bit (black e') (num b q)), (bit (white e') (num b q)); auto; intros N; destruct N;
    reflexivity.
Qed.

Lemma moved_result : result b p (unpack b e') from to taken k.
Proof.
  assert (OF : bit (mine e) (num b from) = true /\ kind_at e (num b from) = k).
  { apply (look_mine b e wf). rewrite <- (piece_p b e) by exact from_in. exact owned. }
  unfold result. change (turn p) with s. change (turn (unpack b e')) with (to_move e').
  rewrite to_move_moved. split; [reflexivity|].
  assert (P' : forall q, In q sq -> piece (unpack b e') q = look e' (num b q)).
  { intros q Q. simpl. apply is_square_spec in Q. rewrite Q. reflexivity. }
  split; [|split].
  - exists (kind_at e' (num b to)). split.
    + unfold crowned, kind_at. rewrite kings_moved by exact to_in.
      rewrite same_square_refl, andb_true_r.
      assert (Z : (bit (kings e) (num b to) && negb (same_square from to ||
        bit tm (num b to)))%bool = false).
      { destruct to_free as [F|F].
        - rewrite (piece_p b e) in F by exact to_in. apply (look_none e) in F.
          rewrite lor_spec, orb_false_iff in F.
          destruct (bit (kings e) (num b to)) eqn:KB; [|reflexivity].
          apply (kings_are_pieces b e wf) in KB. destruct F, KB; congruence.
        - rewrite F, same_square_refl. simpl. apply andb_false_r. }
      rewrite Z. simpl orb. unfold crown.
      pose proof (crown_row_spec b fits s to to_in) as CR. fold g in CR. destruct k.
      * destruct (bit (crown_row s g) (num b to)) eqn:C.
        -- left. split; [reflexivity|]. right. apply CR. reflexivity.
        -- right. repeat split. intros L. apply CR in L. congruence.
      * left. auto.
    + rewrite P', look_moved, mine_moved by exact to_in. rewrite same_square_refl, orb_true_r.
      reflexivity.
  - intros q Nq I.
    assert (Q : In q sq) by (destruct I as [<-|I]; [exact from_in | apply taken_theirs, I]).
    rewrite P', look_moved, mine_moved, theirs_moved by exact Q.
    assert (T : same_square to q = false).
    { destruct (same_square to q) eqn:T; [|reflexivity]. apply same_square_spec in T. congruence. }
    rewrite T, orb_false_r.
    assert (TH : forall q, In q sq -> bit (mine e) (num b q) = true ->
      bit (theirs e) (num b q) = false).
    { intros r R M. destruct (bit (theirs e) (num b r)) eqn:B;
      [|reflexivity]. destruct (disjoint b e wf (num b r)).
      - revert M B. unfold mine, theirs, of_side. fold s. destruct s; auto.
      - revert M B. unfold mine, theirs, of_side. fold s. destruct s; auto. }
    destruct I as [<-|I].
    + rewrite same_square_refl, andb_false_r. simpl. rewrite TH; [reflexivity | exact from_in
        | apply OF].
    + destruct (taken_theirs q I) as [_ [k' K]]. rewrite (piece_p b e) in K by exact Q.
      assert (B : bit (theirs e) (num b q) = true) by (apply (look_theirs b e wf); eauto).
      assert (M : bit (mine e) (num b q) = false).
      { destruct (bit (mine e) (num b q)) eqn:M; [|reflexivity]. rewrite (TH q Q M)
        in B. discriminate. }
      apply (same_taken q Q) in I. rewrite M, B, I. reflexivity.
  - intros q Nq N. destruct (in_sq_dec b q) as [Q|Q].
    + rewrite P', look_moved, mine_moved, theirs_moved by exact Q.
      rewrite (piece_p b e) by exact Q.
      assert (T : same_square to q = false).
      { destruct (same_square to q) eqn:T; [|reflexivity]. apply same_square_spec
        in T. congruence. }
      assert (F : same_square from q = false).
      { destruct (same_square from q) eqn:F; [|reflexivity]. apply same_square_spec
        in F. subst. destruct N. left. reflexivity. }
      assert (A : bit tm (num b q) = false).
      { destruct (bit tm (num b q)) eqn:A; [|reflexivity]. apply (same_taken q Q)
        in A. destruct N. right. exact A. }
      assert (KK : kind_at e' (num b q) = kind_at e (num b q)).
      { unfold kind_at. rewrite kings_moved, T, F, A by exact Q. simpl. rewrite andb_true_r,
        andb_false_r, orb_false_r.
        reflexivity. }
      rewrite KK, T, F, A. simpl. rewrite !andb_true_r, orb_false_r.
      pose proof (disjoint b e wf (num b q)) as D. unfold look, mine, theirs, of_side. fold s.
      destruct s; simpl; destruct (bit (black e) (num b q)), (bit (white e) (num b q)); auto;
        destruct D; auto.
    + rewrite (piece_off b e) by exact Q. simpl.
      destruct (is_square b q) eqn:E; [|reflexivity]. apply is_square_spec in E. contradiction.
Qed.

(** A result is determined, up to what a function is. *)
Lemma result_same : forall p', result b p p' from to taken k -> same p' (unpack b e').
Proof.
  intros p' [T [[k1 [C1 P1]] [G1 S1]]]. destruct moved_result as [T2 [[k2 [C2 P2]] [G2 S2]]].
  split; [congruence|]. intros q.
  destruct (same_square q to) eqn:E.
  - apply same_square_spec in E. subst q. rewrite P1, P2. rewrite (crowned_once _ _ _ _ _ C1 C2).
    reflexivity.
  - assert (Nq : q <> to) by (intros ->; rewrite same_square_refl in E; discriminate).
    destruct (existsb (same_square q) (from :: taken)) eqn:X.
    + apply existsb_exists in X. destruct X as [y [Y F]]. apply same_square_spec in F. subst y.
      rewrite G1, G2 by assumption. reflexivity.
    + assert (N : ~ In q (from :: taken)).
      { intros I. rewrite <- not_true_iff_false in X. apply X. apply existsb_exists. exists q.
        split; [exact I | apply same_square_refl]. }
      rewrite S1, S2 by assumption. reflexivity.
Qed.

Lemma same_result : forall p', same p' (unpack b e') -> result b p p' from to taken k.
Proof.
  intros p' [T P]. destruct moved_result as [T2 [[k2 [C2 P2]] [G2 S2]]].
  split; [congruence|]. split; [exists k2; rewrite P; auto|].
  split; intros q A B; rewrite P; auto.
Qed.
End Result.

(** * Captures *)

Lemma jumps_taken : forall from k taken q taken' to, In from sq ->
  jumps b p from k taken q taken' to ->
  (forall x, In x taken -> In x sq /\ exists k', piece p x = Some (other s, k')) ->
  (piece p q = None \/ q = from) ->
  (forall x, In x taken' -> In x sq /\ exists k', piece p x = Some (other s, k')) /\
  (piece p to = None \/ to = from).
Proof.
  intros from k taken q taken' to F K.
  induction K as [taken q N | taken q over q' taken' to J K IH]; intros T Q.
  - auto.
  - apply IH.
    + intros x [<-|X]; [|apply T, X]. split; [apply (jump_in b fits e wf from k F _ _ _ _ J)|].
      apply J.
    + apply J.
Qed.

Lemma enough_first : forall over, In over sq -> enough b (most_jumps g) [over].
Proof.
  intros over O. split; [constructor; [simpl; tauto | constructor]|]. split.
  - intros x [<-|[]]. exact O.
  - simpl. fold sq. lia.
Qed.

Lemma agree_first : forall over, In over sq -> agree b (one (num b over)) [over].
Proof.
  intros over O q Q. rewrite bit_one by (apply num_small; assumption).
  rewrite num_eqb, same_square_spec by assumption. simpl. split; [auto | intros [E|[]]; exact E].
Qed.

Lemma owned_bit : forall q k, In q sq -> (own p q k <-> bit (mine e) (num b q) = true /\
  kind_at e (num b q) = k).
Proof. intros q k Q. unfold own. rewrite (piece_p b e) by exact Q. apply (look_mine b e wf). Qed.

Definition captured (from : square) (k : kind) (taken : list square) (to : square) : Prop :=
  In from sq /\ own p from k /\ exists over q, jump b p from k [] from over q /\
    jumps b p from k [over] q taken to.

Lemma captured_facts : forall from k taken to, captured from k taken to ->
  (piece p to = None \/ to = from) /\
  (forall x, In x taken -> In x sq /\ exists k', piece p x = Some (other s, k')).
Proof.
  intros from k taken to [F [O [over [q [J K]]]]].
  destruct (jumps_taken _ _ _ _ _ _ F K) as [T Q]; [|apply J|auto].
  intros x [<-|[]]. split; [apply (jump_in b fits e wf from k F _ _ _ _ J) | apply J].
Qed.

Lemma captures_sound : forall e', In e' (flat_map (captures_of g e) (cells g)) ->
  exists from k taken to tm, captured from k taken to /\ In to sq /\ agree b tm taken /\
    e' = moved g e k (num b from) (num b to) tm.
Proof.
  intros e' I. apply in_flat_map in I. destruct I as [c [C I]].
  simpl in C. apply in_map_iff in C. destruct C as [from [<- F]].
  unfold captures_of in I. cbn [at_bit make_cell] in I.
  destruct (bit (mine e) (num b from)) eqn:M; [|destruct I].
  apply in_map_iff in I. destruct I as [x [<- X]].
  apply in_flat_map in X. destruct X as [h [L X]].
  fold (listed b e from (kind_at e (num b from)) from 0%uint63) in L.
  apply (in_listed b fits e wf from (kind_at e (num b from)) F _ _ [] _ (agree_nil b)) in L.
  destruct L as [over [q [-> J]]]. destruct (jump_in b fits e wf _ _ F _ _ _ _ J) as [O Q].
  destruct (jump_ends_sound b fits e wf _ _ F _ _ _ _ _ Q (agree_first _ O) (enough_first _ O) X)
    as [to [taken [K [T [E A]]]]].
  exists from, (kind_at e (num b from)), taken, to, (snd x).
  split; [|split; [exact T|split; [exact A|]]].
  - split; [exact F|]. split; [apply owned_bit; auto|]. exists over, q. auto.
  - rewrite E. reflexivity.
Qed.

Lemma captures_complete : forall from k taken to, captured from k taken to ->
  exists tm, In to sq /\ agree b tm taken /\
    In (moved g e k (num b from) (num b to) tm) (flat_map (captures_of g e) (cells g)).
Proof.
  intros from k taken to [F [OW [over [q [J K]]]]].
  destruct (jump_in b fits e wf _ _ F _ _ _ _ J) as [O Q].
  destruct (jump_ends_complete b fits e wf _ _ F _ _ _ _ K _ _ Q (agree_first _ O)
    (enough_first _ O))
    as [T [x [X [E A]]]].
  exists (snd x). split; [exact T|]. split; [exact A|].
  apply in_flat_map. exists (make_cell b from). split; [apply in_map, F|].
  apply (owned_bit _ _ F) in OW. destruct OW as [M KA].
  unfold captures_of. cbn [at_bit make_cell]. rewrite M.
  apply in_map_iff. exists x. split; [rewrite E, KA; reflexivity|].
  apply in_flat_map. exists (numbers b (over, q)). split.
  - fold (listed b e from (kind_at e (num b from)) from 0%uint63).
    apply (in_listed b fits e wf from (kind_at e (num b from)) F _ _ [] _ (agree_nil b)).
    exists over, q.
    split; [reflexivity|]. rewrite KA. exact J.
  - rewrite KA. exact X.
Qed.

(** Jumps can be carried on to an end. *)
Lemma jumps_exist : forall from k, In from sq -> forall fuel taken q, enough b fuel taken ->
  In q sq ->
  exists taken' to, jumps b p from k taken q taken' to.
Proof.
  intros from k F. induction fuel as [|fuel IH]; intros taken q E Q;
    [destruct (enough_positive b _ E)|].
  assert (D : exists tm, agree b tm taken).
  { clear IH E. induction taken as [|x taken [tm IH]]; [exists 0%uint63; apply (agree_nil b)|].
    destruct (in_sq_dec b x) as [X|X].
    - exists (tm lor one (num b x))%uint63. apply (agree_cons b fits); assumption.
    - exists tm. intros y Y. rewrite (IH y Y). simpl. split; [auto|]. intros [->|I];
        [contradiction | exact I]. }
  destruct D as [tm A]. pose proof (fun x => in_listed b fits e wf from k F q tm taken x A) as L.
  destruct (listed b e from k q tm) as [|h more].
  - exists taken, q. apply jumps_end. intros over q' J. apply (proj2 (L (numbers b (over, q')))).
    eauto.
  - destruct (proj1 (L h) (or_introl eq_refl)) as [over [q' [_ J]]].
    destruct (IH _ q' (enough_next b fits e wf _ _ F _ _ _ _ _ E J)
      (proj2 (jump_in b fits e wf _ _ F _ _ _ _ J)))
      as [taken' [to K]].
    exists taken', to. exact (jumps_on _ _ _ _ _ _ _ _ _ _ J K).
Qed.

Lemma no_captures : flat_map (captures_of g e) (cells g) = [] <->
  (forall q k over q', own p q k -> on_board b q -> ~ jump b p q k [] q over q').
Proof.
  split.
  - intros Z q k over q' OW Q J. apply in_squares in Q.
    destruct (jump_in b fits e wf _ _ Q _ _ _ _ J) as [O Q'].
    destruct (jumps_exist q k Q _ [over] q' (enough_first _ O) Q') as [taken [to K]].
    destruct (captures_complete q k taken to) as [tm [_ [_ I]]].
    + split; [exact Q|]. split; [exact OW|]. exists over, q'. auto.
    + rewrite Z in I. exact I.
  - intros N. destruct (flat_map (captures_of g e) (cells g)) as [|e' l] eqn:Z; [reflexivity|].
    destruct (captures_sound e') as [from [k [taken [to [tm [[F [OW [over [q [J _]]]]] _]]]]]].
    + rewrite Z. left. reflexivity.
    + destruct (N from k over q OW); [apply in_squares, F | exact J].
Qed.

(** * Steps *)

Lemma in_steps : forall e', In e' (flat_map (steps_of g e) (cells g)) <->
  exists from k to, In from sq /\ In to sq /\ own p from k /\ step s k from to /\
    piece p to = None /\
    e' = moved g e k (num b from) (num b to) 0%uint63.
Proof.
  intros e'. rewrite in_flat_map. split.
  - intros [c [C I]]. simpl in C. apply in_map_iff in C. destruct C as [from [<- F]].
    unfold steps_of in I. cbn [at_bit make_cell] in I.
    destruct (bit (mine e) (num b from)) eqn:M; [|destruct I].
    apply in_map_iff in I. destruct I as [j [<- I]]. apply filter_In in I. destruct I as [I E].
    rewrite (ways_of_cell b) in I. simpl in I. apply in_map_iff in I. destruct I as [to [<- I]].
    apply (in_steps_from b) in I. destruct I as [T S]. apply negb_true_iff, (look_none e) in E.
    exists from, (kind_at e (num b from)), to. repeat split; try assumption.
    + apply owned_bit; auto. + apply S. + apply S. + rewrite (piece_p b e) by exact T. exact E.
  - intros [from [k [to [F [T [OW [S [P ->]]]]]]]]. exists (make_cell b from).
    split; [apply in_map, F|]. apply (owned_bit _ _ F) in OW. destruct OW as [M KA].
    unfold steps_of. cbn [at_bit make_cell]. rewrite M. apply in_map_iff. exists (num b to).
    split; [rewrite KA; reflexivity|]. apply filter_In. split.
    + rewrite (ways_of_cell b), KA. simpl. apply in_map, (in_steps_from b). auto.
    + apply negb_true_iff, (look_none e). rewrite <- (piece_p b e) by exact T. exact P.
Qed.

(** Every successor is the position after one piece has gone to a square that was free. *)
Lemma successors_form : forall e', In e' (successors g e) ->
  exists from k to taken tm, In from sq /\ In to sq /\ own p from k /\
    (piece p to = None \/ to = from) /\
    (forall q, In q taken -> In q sq /\ exists k', piece p q = Some (other s, k')) /\
    agree b tm taken /\ e' = moved g e k (num b from) (num b to) tm.
Proof.
  intros e' I. rewrite successors_spec in I. unfold successor_list in I.
  destruct (flat_map (captures_of g e) (cells g)) as [|x l] eqn:Z.
  - apply in_steps in I. destruct I as [from [k [to [F [T [OW [_ [P ->]]]]]]]].
    exists from, k, to, [], 0%uint63. split; [exact F|]. split; [exact T|]. split; [exact OW|].
    split; [auto|].
    split; [intros q []|].
    split; [apply (agree_nil b) | reflexivity].
  - rewrite <- Z in I. apply captures_sound in I.
    destruct I as [from [k [taken [to [tm [C [T [A ->]]]]]]]].
    destruct (captured_facts _ _ _ _ C) as [TF TT]. destruct C as [F [OW _]].
    exists from, k, to, taken, tm. auto 8.
Qed.

(** * The theorem *)

Theorem successors_moves : forall p', move b p p' <-> exists e', In e' (successors g e) /\
  same p' (unpack b e').
Proof.
  intros p'. rewrite successors_spec. unfold successor_list. split.
  - intros [from k over q taken to OW F J K R | from k to N OW F S T P R].
    + apply in_squares in F.
      assert (C : captured from k taken to) by (split; [exact F|]; split; [exact OW|];
        exists over, q; auto).
      destruct (captured_facts _ _ _ _ C) as [TF TT].
      destruct (captures_complete _ _ _ _ C) as [tm [T [A I]]].
      exists (moved g e k (num b from) (num b to) tm). split.
      * destruct (flat_map (captures_of g e) (cells g)); [destruct I | exact I].
      * apply (result_same from to k taken tm); assumption.
    + apply in_squares in F. apply in_squares in T.
      exists (moved g e k (num b from) (num b to) 0%uint63). split.
      * rewrite (proj2 no_captures N). apply in_steps. exists from, k, to. auto 7.
      * apply (result_same from to k []); try assumption;
          [auto | intros x [] | apply (agree_nil b)].
  - intros [e' [I E]]. destruct (flat_map (captures_of g e) (cells g)) as [|x l] eqn:Z.
    + apply in_steps in I. destruct I as [from [k [to [F [T [OW [S [P ->]]]]]]]].
      apply quiet with from k to; try assumption.
      * apply no_captures, Z. * apply in_squares, F. * apply in_squares, T.
      * apply same_result with 0%uint63; try assumption; [auto | intros y [] | apply (agree_nil b)].
    + rewrite <- Z in I. apply captures_sound in I.
      destruct I as [from [k [taken [to [tm [C [T [A ->]]]]]]]].
      destruct (captured_facts _ _ _ _ C) as [TF TT]. destruct C as [F [OW [over [q [J K]]]]].
      apply capture with from k over q taken to; try assumption; [apply in_squares, F|].
      apply same_result with tm; assumption.
Qed.
End Board.
