(* What the definitions of outcomes give: plans and wins exclude each other, a closed set is a plan,
   and falling ranks are a win. *)
From Coq Require Import List Arith Lia.
From Draughtproof Require Import Spec.
Import ListNotations.

(** Not both: whoever does not lose keeps the other from winning. *)
Theorem not_lost_no_win : forall b x p, NotLost b x p -> ~ Win b (other x) p.
Proof.
  intros b x p [f H] W.
  assert (G : forall q, Win b (other x) q -> forall past, play b x f p past q -> False).
  { clear W. intros q W. induction W as [q q' Ht Hm W IH | q Ht Hall IH]; intros past Hp.
    - apply (IH (q :: past)). apply play_theirs; [exact Hp | | exact Hm]. destruct x; exact Ht.
    - assert (E : turn q = x) by (destruct x; exact Ht).
      pose proof (H _ _ Hp E) as M. apply (IH _ M (q :: past)). apply play_mine; assumption. }
  exact (G p W [] (play_start _ _ _ _)).
Qed.

(** A closed set with a choice in it: the plan that certificates hold. *)
Theorem closed_not_lost : forall b x (S : position -> Prop) (g : position -> position),
  (forall p, S p -> turn p = x -> move b p (g p) /\ S (g p)) ->
  (forall p p', S p -> turn p = other x -> move b p p' -> S p') ->
  forall p, S p -> NotLost b x p.
Proof.
  intros b x S g Hx Ho p Hp.
  exists (fun h => match h with q :: _ => g q | [] => p end).
  assert (G : forall past q, play b x (fun h => match h with q :: _ => g q | [] => p end) p past q
    -> S q).
  { intros past q P. induction P as [ | past q P IH Ht M | past q q' P IH Ht M].
    - exact Hp.
    - apply (Hx q IH Ht).
    - exact (Ho _ _ IH Ht M). }
  intros past q P Ht. apply (Hx q (G _ _ P) Ht).
Qed.

(** Falling ranks win, whatever the set. *)
Theorem ranked_win : forall b x (S : position -> Prop) (r : position -> nat),
  (forall p, S p -> turn p = x -> exists p', move b p p' /\ S p' /\ r p' < r p) ->
  (forall p p', S p -> turn p = other x -> move b p p' -> S p' /\ r p' < r p) ->
  forall p, S p -> Win b x p.
Proof.
  intros b x S r Hx Ho p. remember (r p) as n eqn:E.
  assert (L : r p <= n) by lia. clear E. revert p L. induction n as [|n IH]; intros p L Hp.
  - assert (D : turn p = x \/ turn p = other x) by (destruct (turn p), x; simpl; auto).
    destruct D as [D | D].
    + destruct (Hx p Hp D) as [p' [_ [_ Hr]]]. lia.
    + apply win_theirs; [exact D|]. intros p' M. destruct (Ho p p' Hp D M) as [_ Hr]. lia.
  - assert (D : turn p = x \/ turn p = other x) by (destruct (turn p), x; simpl; auto).
    destruct D as [D | D].
    + destruct (Hx p Hp D) as [p' [M [Hs Hr]]]. apply win_mine with p'; [exact D | exact M |].
      apply IH; [lia | exact Hs].
    + apply win_theirs; [exact D|]. intros p' M. destruct (Ho p p' Hp D M) as [Hs Hr].
      apply IH; [lia | exact Hs].
Qed.

