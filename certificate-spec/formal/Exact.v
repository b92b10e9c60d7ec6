(* Exact values without depths: if the values of every pair of blocks follow from nothing over the
   claimed values of the other pairs, then the claimed values are exact. SPEC.md, 8.5, and what the
   level exact of `check` does.

   A block is the positions with the same men and the same numbers of kings, and a pair is a block
   with its twin: where the same side is not to move. A king's step stays in the pair, and every
   other move leaves it for good, as [weight] shows. *)
From Coq Require Import List Arith Lia Bool.
From Draughtproof Require Import Spec Squares.
Import ListNotations.
Local Open Scope nat_scope.

(** * What never rises *)

Section Weight.
Variable b : board.

Definition heavy : nat := rows b + 2.
(** A king, and a man with the steps that it is from the last row. *)
Definition weight_of (content : option (side * kind)) (q : square) : nat :=
  match content with
  | None => 0
  | Some (_, King) => heavy
  | Some (Black, Man) => heavy + 1 + (rows b - fst q)
  | Some (White, Man) => heavy + 1 + Nat.min (fst q) (rows b)
  end.
Definition total (f : square -> nat) (l : list square) : nat := list_sum (map f l).
Definition weight (p : position) : nat := total (fun q => weight_of (piece p q) q) (squares b).

Lemma total_le : forall f f' l, (forall q, In q l -> f q <= f' q) -> total f l <= total f' l.
Proof.
  intros f f' l. induction l as [|q l IH]; intros H; [apply le_n|].
  unfold total in *. cbn [map list_sum fold_right].
  apply Nat.add_le_mono; [apply H; left; reflexivity|].
  apply IH. intros y Y. apply H. right. exact Y.
Qed.

Definition square_dec : forall q q' : square, {q = q'} + {q <> q'}.
Proof. repeat decide equality. Defined.

Definition put_at (f : square -> nat) (q : square) (v : nat) : square -> nat :=
  fun y => if square_dec y q then v else f y.

Lemma total_put : forall f q v l, NoDup l -> In q l ->
  total (put_at f q v) l + f q = total f l + v.
Proof.
  intros f q v l N I. induction l as [|y l IH]; [destruct I|].
  inversion N as [|y' l' A B]; subst. unfold total in *. cbn [map list_sum fold_right].
  destruct (square_dec y q) as [E|E].
  - subst y. assert (R : map (put_at f q v) l = map f l).
    { apply map_ext_in. intros y Y. unfold put_at.
      destruct (square_dec y q) as [->|]; [contradiction | reflexivity]. }
    rewrite R. unfold put_at at 1. destruct (square_dec q q); [lia | congruence].
  - destruct I as [I|I]; [congruence|]. specialize (IH B I).
    unfold put_at at 1. destruct (square_dec y q); [congruence|].
    unfold list_sum in *. lia.
Qed.

(** The sum after [from] has become empty, and [to], where nothing else stood, has [v]. *)
Lemma total_moved : forall f from to v l, NoDup l -> In from l -> In to l ->
  f to = 0 \/ to = from ->
  total (put_at (put_at f from 0) to v) l + f from = total f l + v.
Proof.
  intros f from to v l N F T E. pose proof (total_put (put_at f from 0) to v l N T) as A.
  pose proof (total_put f from 0 l N F) as B.
  assert (Z : put_at f from 0 to = 0).
  { unfold put_at. destruct (square_dec to from); [reflexivity|]. destruct E; congruence. }
  lia.
Qed.

Lemma on_board_over : forall q over q' s k, on_board b q -> on_board b q' -> step s k q over ->
  fst q + fst q' = 2 * fst over -> snd q + snd q' = 2 * snd over -> on_board b over.
Proof.
  intros [r c] [r1 c1] [r2 c2] s k [R [C O]] [R2 [C2 _]] [B F]; unfold on_board; simpl in *.
  intros E G. split; [lia|]. split; [lia|].
  assert (P : exists n, r1 + c1 + 2 * n = r + c \/ r1 + c1 = r + c + 2 * n).
  { unfold beside in B. destruct s; simpl in F; destruct B, F as [F|[_ F]];
      first [exists 0; lia | exists 1; lia]. }
  destruct P as [n [P|P]]; rewrite <- O.
  - rewrite <- P, Nat.odd_add_mul_2. reflexivity.
  - rewrite P, Nat.odd_add_mul_2. reflexivity.
Qed.

Lemma weight_king : forall s q, weight_of (Some (s, King)) q = heavy.
Proof. intros [] q; reflexivity. Qed.

Lemma weight_least : forall x q, heavy <= weight_of (Some x) q.
Proof. intros [[] []] q; cbn [weight_of]; lia. Qed.

Lemma weight_most : forall x q, weight_of (Some x) q < 2 * heavy.
Proof. intros [[] []] q; unfold heavy; cbn [weight_of]; unfold heavy; lia. Qed.

(** A step of a king keeps the weight; it takes nothing, and its piece is a king before. *)
Definition king_step (p p' : position) : Prop := exists from to,
  own p from King /\ on_board b from /\ on_board b to /\ piece p to = None /\
  result b p p' from to [] King.

Lemma king_step_weight : forall p p', king_step p p' -> weight p' = weight p.
Proof.
  intros p p' [from [to [O [F [T [P [_ [[k' [K W]] [R X]]]]]]]]].
  unfold own in O. apply in_squares in F, T.
  set (f := fun q => weight_of (piece p q) q).
  assert (E : weight p' = total (put_at (put_at f from 0) to heavy) (squares b)).
  { unfold weight, total. f_equal. apply map_ext. intros q. unfold put_at.
    destruct (square_dec q to) as [->|N].
    - rewrite W. destruct K as [[-> _]|[_ [K _]]]; [apply weight_king | discriminate].
    - destruct (square_dec q from) as [->|M].
      + rewrite R; [reflexivity | exact N | left; reflexivity].
      + rewrite X; [reflexivity | exact N|]. intros [I|[]]. congruence. }
  pose proof (total_moved f from to heavy (squares b) (squares_nodup b) F T) as A.
  assert (Z : f to = 0 \/ to = from) by (left; unfold f; rewrite P; reflexivity).
  specialize (A Z). unfold f at 2 in A. rewrite O, weight_king in A. unfold weight in *. fold f.
  lia.
Qed.

(** Jumps end on a square that is free or the first, and what was jumped over stays jumped over. *)
Lemma jumps_end_free : forall p from k taken q taken' to, jumps b p from k taken q taken' to ->
  on_board b q -> piece p q = None \/ q = from ->
  (on_board b to /\ (piece p to = None \/ to = from)) /\ incl taken taken'.
Proof.
  intros p from k taken q taken' to J.
  induction J as [taken q N | taken q over q' taken' to J K IH]; intros Q F.
  - split; [auto | apply incl_refl].
  - assert (Q' : on_board b q') by (destruct J; tauto).
    assert (F' : piece p q' = None \/ q' = from) by (destruct J; tauto).
    destruct (IH Q' F') as [A I]. split; [exact A|]. intros y Y. apply I. right. exact Y.
Qed.

(** Every other move lowers it. *)
Theorem move_weight : forall p p', move b p p' -> king_step p p' \/ weight p' < weight p.
Proof.
  intros p p' [from k over q taken to O F J K R | from k to N O F S T P R].
  - right. destruct R as [_ [[k' [_ W]] [R X]]]. unfold own in O.
    destruct J as [S1 [S2 [E [G [Q [L [[k1 H] _]]]]]]].
    assert (V : on_board b over) by exact (on_board_over from over q _ _ F Q S1 E G).
    destruct (jumps_end_free _ _ _ _ _ _ _ K Q L) as [[T Z] I].
    assert (A : In over taken) by (apply I; left; reflexivity). clear K I L.
    apply in_squares in F, T, V.
    set (f := fun y => weight_of (piece p y) y).
    assert (NF : over <> from).
    { intros ->. rewrite O in H. injection H as Y _. destruct (turn p); discriminate. }
    assert (NT : over <> to).
    { intros ->. destruct Z as [Z | Z]; congruence. }
    set (h := put_at f over 0).
    assert (LE : weight p' <= total (put_at (put_at h from 0) to (weight_of (piece p' to) to))
      (squares b)).
    { apply total_le. intros y _. unfold put_at.
      destruct (square_dec y to) as [->|N]; [apply le_n|].
      destruct (square_dec y from) as [->|M].
      - rewrite R; [apply le_n | exact N | left; reflexivity].
      - unfold h, put_at. destruct (square_dec y over) as [->|M'].
        + rewrite R; [apply le_n | exact N | right; exact A].
        + destruct (in_dec square_dec y taken) as [D|D].
          * rewrite R; [apply Nat.le_0_l | exact N | right; exact D].
          * unfold f. rewrite X; [apply le_n | exact N|]. intros [D'|D']; [congruence|].
            contradiction. }
    pose proof (total_moved h from to (weight_of (piece p' to) to) (squares b) (squares_nodup b)
      F T) as B.
    assert (ZH : h to = 0 \/ to = from).
    { destruct Z as [Z | Z]; [left|right; exact Z]. unfold h, put_at.
      destruct (square_dec to over); [reflexivity|]. unfold f. rewrite Z. reflexivity. }
    specialize (B ZH). pose proof (total_put f over 0 (squares b) (squares_nodup b) V) as C.
    fold h in C. assert (HF : h from = f from).
    { unfold h, put_at. destruct (square_dec from over); [congruence | reflexivity]. }
    assert (WF : heavy <= f from) by (unfold f; rewrite O; apply weight_least).
    assert (WO : heavy <= f over) by (unfold f; rewrite H; apply weight_least).
    assert (WT : weight_of (piece p' to) to < 2 * heavy) by (rewrite W; apply weight_most).
    unfold weight at 2. fold f. lia.
  - destruct k.
    + right. unfold own in O. destruct R as [_ [[k' [K W]] [R X]]].
      set (f := fun y => weight_of (piece p y) y).
      assert (LE : weight p' <= total (put_at (put_at f from 0) to (weight_of (piece p' to) to))
        (squares b)).
      { apply total_le. intros y _. unfold put_at.
        destruct (square_dec y to) as [->|M]; [apply le_n|].
        destruct (square_dec y from) as [->|M'].
        - rewrite R; [apply le_n | exact M | left; reflexivity].
        - unfold f. rewrite X; [apply le_n | exact M|]. intros [D|[]]. congruence. }
      pose proof F as [FR _]. pose proof T as [TR _]. apply in_squares in F, T.
      pose proof (total_moved f from to (weight_of (piece p' to) to) (squares b) (squares_nodup b)
        F T) as B.
      assert (Z : f to = 0 \/ to = from) by (left; unfold f; rewrite P; reflexivity).
      specialize (B Z). unfold f at 2 in B. rewrite O in B.
      assert (L : weight_of (piece p' to) to < weight_of (Some (turn p, Man)) from).
      { rewrite W. destruct S as [_ [S|[S _]]]; [|discriminate].
        destruct K as [[-> _]|[-> _]]; destruct (turn p); cbn [weight_of forward] in *; lia. }
      unfold weight at 2. fold f. lia.
    + left. exists from, to. auto.
Qed.
End Weight.

(** * Pairs of blocks *)

Section Pairs.
Variable b : board.

(** A king's step, which stays in the pair, and any other move, which leaves it. *)
Definition within (p p' : position) : Prop := move b p p' /\ king_step b p p'.
Definition leaving (p p' : position) : Prop := move b p p' /\ weight b p' < weight b p.

Theorem within_or_leaving : forall p p', move b p p' -> within p p' \/ leaving p p'.
Proof.
  intros p p' M. destruct (move_weight b p p' M) as [K|L]; [left|right]; split; assumption.
Qed.

Theorem not_both : forall p p', within p p' -> ~ leaving p p'.
Proof. intros p p' [_ K] [_ L]. apply king_step_weight in K. lia. Qed.

(** [claims x p]: the table says that [x] wins in [p]. *)
Variable claims : side -> position -> Prop.

(** What follows from nothing in a pair, where moves that leave it lead to what the table says. The
    table's values of the pair itself are not read. *)
Inductive derived (x : side) : position -> Prop :=
| derived_within p p' : turn p = x -> within p p' -> derived x p' -> derived x p
| derived_leaving p p' : turn p = x -> leaving p p' -> claims x p' -> derived x p
| derived_all p : turn p = other x -> (forall p', within p p' -> derived x p') ->
    (forall p', leaving p p' -> claims x p') -> derived x p.

(** The positions that the table is about: no move leads out of them. *)
Variable about : position -> Prop.
Hypothesis closed : forall p p', about p -> move b p p' -> about p'.
Hypothesis pairs : forall x p, about p -> (claims x p <-> derived x p).

Lemma derived_wins : forall x n,
  (forall p, about p -> weight b p < n -> claims x p -> Win b x p) ->
  forall p, derived x p -> about p -> weight b p <= n -> Win b x p.
Proof.
  intros x n H p D. induction D as [p p' T [M K] D IH | p p' T [M L] C | p T A IH C]; intros B L'.
  - apply win_mine with p'; [exact T | exact M |]. apply IH; [exact (closed p p' B M)|].
    apply king_step_weight in K. lia.
  - apply win_mine with p'; [exact T | exact M |].
    apply H; [exact (closed p p' B M) | lia | exact C].
  - apply win_theirs; [exact T|]. intros p' M. pose proof (closed p p' B M) as B'.
    destruct (within_or_leaving p p' M) as [W|W].
    + apply IH; [exact W | exact B' |]. destruct W as [_ K]. apply king_step_weight in K. lia.
    + apply H; [exact B' | destruct W; lia | exact (C p' W)].
Qed.

Lemma wins_derived : forall x n,
  (forall p, about p -> weight b p < n -> Win b x p -> claims x p) ->
  forall p, Win b x p -> about p -> weight b p <= n -> derived x p.
Proof.
  intros x n H p W. induction W as [p p' T M W IH | p T A IH]; intros B L.
  - pose proof (closed p p' B M) as B'. destruct (within_or_leaving p p' M) as [V|V].
    + apply derived_within with p'; [exact T | exact V |]. apply IH; [exact B'|].
      destruct V as [_ K]. apply king_step_weight in K. lia.
    + apply derived_leaving with p'; [exact T | exact V |].
      apply H; [exact B' | destruct V; lia | exact W].
  - apply derived_all; [exact T | |].
    + intros p' V. pose proof V as [M K]. apply (IH p' M); [exact (closed p p' B M)|].
      apply king_step_weight in K. lia.
    + intros p' V. pose proof V as [M K].
      apply H; [exact (closed p p' B M) | lia | exact (A p' M)].
Qed.

(** If what the table says of each pair is what follows from nothing over the other pairs, then it
    says the truth: each win and no other. *)
Theorem pairs_exact : forall x p, about p -> (claims x p <-> Win b x p).
Proof.
  intros x. assert (G : forall n p, about p -> weight b p < n -> (claims x p <-> Win b x p)).
  { induction n as [|n IH]; intros p B L; [lia|]. rewrite (pairs x p B). split.
    - intros D. apply (derived_wins x n); [|exact D | exact B | lia].
      intros q Q K. apply IH; assumption.
    - intros W. apply (wins_derived x n); [|exact W | exact B | lia].
      intros q Q K. apply IH; assumption. }
  intros p B. apply (G (S (weight b p))); [exact B | lia].
Qed.
End Pairs.
