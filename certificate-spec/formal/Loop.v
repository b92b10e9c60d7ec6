(* A loop over all positions of a cover that keeps at hand what it needs of each side's men and
   kings, and whether the value of a position follows from the values of its successors. *)
From Coq Require Import List Arith ZArith Lia Bool Uint63.
From Draughtproof Require Import Spec Squares Rules Jumps Moves Cover Successor Database Turned.
Import ListNotations.
Local Open Scope nat_scope.

(** * The squares of a board *)

(** A square for a piece of White: as a mask, turned, and the masks of where it leads. *)
Record spot := {
  own : int;
  facing : int;
  man_steps : list int;
  king_steps : list int;
  man_hops : list (int * int);
  king_hops : list (int * int);
  cell_of : cell
}.
Definition hop_masks (hs : list (int * int)) : list (int * int) :=
  map (fun h => (one (fst h), one (snd h))) hs.
Definition spot_of (g : geometry) (c : cell) : spot :=
  {| own := one (at_bit c); facing := flip g (one (at_bit c));
     man_steps := map one (steps (white_man c)); king_steps := map one (steps (white_king c));
     man_hops := hop_masks (hops (white_man c)); king_hops := hop_masks (hops (white_king c));
     cell_of := c |}.
Definition spots (g : geometry) : list spot := map (spot_of g) (cells g).

(** * Choices of squares *)

Record choice := { set : int; turned_set : int; chosen : list spot }.
Definition nothing : choice := {| set := 0; turned_set := 0; chosen := [] |}.
Definition add (p : spot) (a : choice) : choice :=
  {| set := set a lor own p; turned_set := turned_set a lor facing p; chosen := p :: chosen a |}.

(** [f] at all choices of at most [n] squares outside [avoid], and what is left of [n]. *)
Fixpoint each_choice (avoid : int) (ps : list spot) (n : nat) (a : choice)
  (f : nat -> choice -> bool) : bool :=
  match n with
  | 0 => f 0 a
  | S n' =>
    match ps with
    | [] => f n a
    | p :: rest =>
      if (own p land avoid =? 0)%uint63 then
        if each_choice avoid rest n a f then each_choice avoid rest n' (add p a) f else false
      else each_choice avoid rest n a f
    end
  end.

Definition gathered (ps : list spot) (a : choice) : choice := fold_left (fun a p => add p a) ps a.

Lemma each_choice_spec : forall avoid ps n a f, each_choice avoid ps n a f = true ->
  forall P, (forall p, In p ps -> P p = true -> (own p land avoid =? 0)%uint63 = true) ->
  length (filter P ps) <= n ->
  f (n - length (filter P ps)) (gathered (filter P ps) a) = true.
Proof.
  induction ps as [|p ps IH]; intros n a f E P A L.
  - simpl in *. rewrite Nat.sub_0_r. destruct n; exact E.
  - destruct n as [|n].
    + simpl in E. destruct (filter P (p :: ps)) as [|q l]; [exact E | simpl in L; lia].
    + simpl in E. pose proof (A p (or_introl eq_refl)) as Ap.
      assert (A' : forall q, In q ps -> P q = true -> (own q land avoid =? 0)%uint63 = true)
        by (intros q I; apply A; right; exact I).
      simpl in *. destruct (P p).
      * rewrite Ap in E by reflexivity.
        destruct (each_choice avoid ps (S n) a f); [|discriminate].
        simpl in *. apply (IH n (add p a) f E P A'). lia.
      * destruct (own p land avoid =? 0)%uint63; [|exact (IH (S n) a f E P A' L)].
        destruct (each_choice avoid ps (S n) a f) eqn:B; [|discriminate].
        exact (IH (S n) a f B P A' L).
Qed.

Definition position (wm bm bk wk : choice) : packed :=
  {| black := set bm lor set bk; white := set wm lor set wk; kings := set bk lor set wk;
     to_move := White |}.

(** [f] at the men of White and Black and the kings of Black and White, in all positions of a clause
    with White to move that are [mine] by the mask of Black. Positions that differ in kings alone
    come one after the other: their values lie side by side. *)
Definition each_position (g : geometry) (mine : int -> bool)
  (f : choice -> choice -> choice -> choice -> bool) (c : clause) : bool :=
  let ps := spots g in
  let (n, m) := c in
  each_choice (crown_white g) ps m nothing (fun left_wm wm =>
    let after_wm := n - (m - left_wm) in
    let most_bm := min m after_wm in
    each_choice (crown_black g lor set wm) ps most_bm nothing (fun left_bm bm =>
      let men := (set wm lor set bm)%uint63 in
      let after_bm := after_wm - (most_bm - left_bm) in
      let most_bk := min (m - (most_bm - left_bm)) after_bm in
      each_choice men ps most_bk nothing (fun left_bk bk =>
        let eb := (set bm lor set bk)%uint63 in
        if (if (eb =? 0)%uint63 then true else negb (mine eb)) then true
        else
          each_choice (men lor set bk) ps (min left_wm (after_bm - (most_bk - left_bk))) nothing
            (fun _ wk => if (set wm lor set wk =? 0)%uint63 then true else f wm bm bk wk)))).

(** * The value of a position follows from the values of its successors *)

Section Follows.
Variables (g : geometry) (table : packed -> value).

(** The value that follows from a list of successors. [best] is what the successors before the list
    give. A successor that is lost decides the value, and the rest of the list is not looked at. *)
Fixpoint after_list (best : value) (next : list packed) : value :=
  match next with
  | [] => best
  | y :: rest =>
    match judge table y with
    | Lost => Won
    | Drawn => after_list Drawn rest
    | Won => after_list best rest
    end
  end.

Section Position.
Variables (eb ew ek occupied : int).

(** The same for the steps of a piece that has left its square. *)
Definition after_steps (is_king : bool) (ew ek : int) : value -> list int -> value :=
  fix go (best : value) (js : list int) : value :=
  match js with
  | [] => best
  | j :: rest =>
    if (j land occupied =? 0)%uint63 then
      match table {| black := eb; white := ew lor j;
        kings := ek lor (if is_king then j else j land crown_white g); to_move := Black |} with
      | Lost => Won
      | Drawn => go Drawn rest
      | Won => go best rest
      end
    else go best rest
  end.

Definition after_pieces (is_king : bool) : value -> list spot -> value :=
  fix go (best : value) (ps : list spot) : value :=
  match ps with
  | [] => best
  | p :: rest =>
    match after_steps is_king (without ew (own p)) (without ek (own p)) best
      (if is_king then king_steps p else man_steps p) with
    | Won => Won
    | better => go better rest
    end
  end.

Definition is_open (occupied : int) : list (int * int) -> bool :=
  fix go (hs : list (int * int)) : bool :=
  match hs with
  | [] => false
  | (over, to) :: rest =>
    if (over land eb =? 0)%uint63 then go rest
    else if (to land occupied =? 0)%uint63 then true
    else go rest
  end.

Definition can_capture (is_king : bool) : list spot -> bool :=
  fix go (ps : list spot) : bool :=
  match ps with
  | [] => false
  | p :: rest =>
    if is_open (without occupied (own p)) (if is_king then king_hops p else man_hops p) then true
    else go rest
  end.
End Position.

Definition follows (wm bm bk wk : choice) : bool :=
  let eb := (set bm lor set bk)%uint63 in
  let ew := (set wm lor set wk)%uint63 in
  let ek := (set bk lor set wk)%uint63 in
  let occupied := (eb lor ew)%uint63 in
  let captures :=
    if (if can_capture eb occupied true (chosen wk) then true
      else can_capture eb occupied false (chosen wm)) then
      all_captures g (position wm bm bk wk) eb occupied (map cell_of (chosen wk ++ chosen wm))
    else [] in
  let by_moves :=
    match captures with
    | [] =>
      match after_pieces eb ew ek occupied true Lost (chosen wk) with
      | Won => Won
      | best => after_pieces eb ew ek occupied false best (chosen wm)
      end
    | _ => after_list Lost captures
    end in
  is by_moves (table {| black := turned_set wm lor turned_set wk;
    white := turned_set bm lor turned_set bk; kings := turned_set wk lor turned_set bk;
    to_move := Black |}).
End Follows.

(** * The half-turn of a union *)

Lemma flip_lor : forall g x y, flip g (x lor y)%uint63 = (flip g x lor flip g y)%uint63.
Proof.
  assert (S : forall m n x y, swap m n (x lor y)%uint63 = (swap m n x lor swap m n y)%uint63).
  { intros m n x y. apply bit_ext. intros i. unfold swap.
    rewrite !lor_spec, !land_spec, !bit_lsl, !bit_lsr, !land_spec, !lor_spec.
    destruct ((i <? n)%uint63 || (digits <=? i)%uint63)%bool, (i <=? n + i)%uint63; simpl;
      repeat (destruct (bit _ _); simpl); reflexivity. }
  intros g x y. unfold flip, reverse. rewrite !S. apply bit_ext. intros i.
  rewrite !lor_spec, !land_spec, !bit_lsr, !lor_spec. destruct (i <=? _)%uint63; [|reflexivity].
  apply andb_orb_distrib_l.
Qed.

Lemma flip_0 : forall g, flip g 0 = 0%uint63.
Proof.
  intros g. unfold flip. change (reverse 0) with 0%uint63. apply bit_ext. intros i.
  rewrite land_spec, bit_lsr, !bit_0. destruct (_ <=? _)%uint63; reflexivity.
Qed.

Lemma one_free : forall i x, (i <? digits)%uint63 = true ->
  (one i land x =? 0)%uint63 = negb (bit x i).
Proof.
  intros i x D. destruct (bit x i) eqn:B; simpl.
  - apply eqb_false_complete. intros E.
    assert (T : bit (one i land x)%uint63 i = true)
      by (rewrite land_spec, bit_one, eqb_refl, B by exact D; reflexivity).
    rewrite E, bit_0 in T. discriminate.
  - apply eqb_spec, bit_ext. intros j. rewrite land_spec, bit_one, bit_0 by exact D.
    destruct (i =? j)%uint63 eqn:J; [|reflexivity]. apply eqb_spec in J. subst. exact B.
Qed.

Lemma halves : forall x k, (without x k lor (x land k))%uint63 = x.
Proof.
  intros x k. apply bit_ext. intros i. rewrite lor_spec, bit_without, land_spec.
  destruct (bit x i), (bit k i); reflexivity.
Qed.

Definition has (x : int) (p : spot) : bool := bit x (at_bit (cell_of p)).

(** A choice that has the squares of a mask. *)
Definition part (g : geometry) (x : int) (a : choice) : Prop :=
  set a = x /\ turned_set a = flip g x /\
  forall p, In p (chosen a) <-> In p (spots g) /\ has x p = true.

Lemma in_spots : forall g p, In p (spots g) ->
  In (cell_of p) (cells g) /\ p = spot_of g (cell_of p).
Proof. intros g p I. apply in_map_iff in I. destruct I as [c [<- I]]. auto. Qed.

Lemma gathered_part : forall g x, (forall i, In i (map at_bit (cells g)) ->
    (i <? digits)%uint63 = true) ->
  (forall i, bit x i = true -> In i (map at_bit (cells g))) ->
  part g x (gathered (filter (has x) (spots g)) nothing).
Proof.
  intros g x D B.
  assert (S : forall l a, incl l (spots g) -> set (gathered l a)
    = gather (map (fun p => at_bit (cell_of p)) l) (set a)).
  { induction l as [|p l IH]; intros a L; [reflexivity|]. simpl. unfold gathered in *. simpl.
    rewrite IH by (intros q Q; apply L; right; exact Q).
    destruct (in_spots g p (L p (or_introl eq_refl))) as [_ ->]. reflexivity. }
  assert (T : forall l a, incl l (spots g) -> turned_set a = flip g (set a) ->
    turned_set (gathered l a) = flip g (set (gathered l a))).
  { induction l as [|p l IH]; intros a L E; [exact E|]. unfold gathered in *. simpl. apply IH.
    - intros q Q. apply L. right. exact Q.
    - destruct (in_spots g p (L p (or_introl eq_refl))) as [_ ->]. simpl. rewrite flip_lor, E.
      reflexivity. }
  assert (C : forall l a p, In p (chosen (gathered l a)) <-> In p l \/ In p (chosen a)).
  { induction l as [|q l IH]; intros a p; [simpl; tauto|]. unfold gathered in *. simpl.
    rewrite IH. simpl. intuition congruence. }
  assert (L : incl (filter (has x) (spots g)) (spots g))
    by (intros p I; apply filter_In in I; tauto).
  assert (X : set (gathered (filter (has x) (spots g)) nothing) = x).
  { rewrite S by exact L. apply bit_ext. intros i. apply eq_true_iff_eq. rewrite bit_gather.
    - simpl. rewrite bit_0, in_map_iff. split.
      + intros [I|[p [<- I]]]; [discriminate|]. apply filter_In in I. apply I.
      + intros I. right. specialize (B i I). apply in_map_iff in B. destruct B as [c [<- K]].
        exists (spot_of g c). split; [reflexivity|]. apply filter_In.
        split; [apply in_map, K | exact I].
    - intros j I. apply in_map_iff in I. destruct I as [p [<- I]]. apply D, in_map.
      apply L, in_spots in I. apply I. }
  split; [exact X|]. split.
  - rewrite T, X; [reflexivity | exact L | symmetry; apply flip_0].
  - intros p. rewrite C, filter_In. simpl. tauto.
Qed.

Section Board.
Variable b : board.
Hypothesis fits : small b.
Let g := make_geometry b.
Let bs := map at_bit (cells g).

Lemma each_choice_part : forall avoid n f x, each_choice avoid (spots g) n nothing f = true ->
  (forall i, bit x i = true -> In i bs /\ bit avoid i = false) -> count bs x <= n ->
  exists a, part g x a /\ f (n - count bs x) a = true.
Proof.
  intros avoid n f x E A L.
  assert (N : length (filter (has x) (spots g)) = count bs x).
  { unfold spots, bs, count. generalize (cells g) as cs. clear.
    induction cs as [|c cs IH]; [reflexivity|]. simpl.
    change (has x (spot_of g c)) with (bit x (at_bit c)).
    destruct (bit x (at_bit c)); simpl; rewrite IH; reflexivity. }
  exists (gathered (filter (has x) (spots g)) nothing). split.
  - apply gathered_part; [exact (bits_small b fits) | intros i I; apply A, I].
  - rewrite <- N. apply (each_choice_spec _ _ _ _ _ E); [|lia]. intros p I P.
    destruct (in_spots g p I) as [K ->]. simpl. rewrite one_free.
    + destruct (A _ P) as [_ ->]. reflexivity.
    + apply (bits_small b fits), in_map, K.
Qed.

(** The men of a side of a position, and its kings. *)
Definition men_of (s : side) (e : packed) : int := without (of_side s e) (kings e).
Definition kings_of (s : side) (e : packed) : int := (of_side s e land kings e)%uint63.

(** The choices that are a position. *)
Definition parts (e : packed) (wm bm bk wk : choice) : Prop :=
  part g (men_of White e) wm /\ part g (men_of Black e) bm /\
  part g (kings_of Black e) bk /\ part g (kings_of White e) wk.

Theorem each_position_spec : forall mine f c, each_position g mine f c = true ->
  forall e, to_move e = White -> possible g e = true -> fits_in g e c = true ->
  (black e =? 0)%uint63 = false -> (white e =? 0)%uint63 = false -> mine (black e) = true ->
  exists wm bm bk wk, parts e wm bm bk wk /\ f wm bm bk wk = true.
Proof.
  intros mine f [n m] E e T P A B0 W0 M.
  assert (W : well_formed g e = true)
    by (unfold possible in P; rewrite andb_true_iff in P; apply P).
  pose proof (fun i => crowned_kings b e i P) as C. fold g in C.
  pose proof (disjoint b e W) as D.
  assert (I : forall s i, bit (of_side s e) i = true -> In i bs).
  { intros s i X. apply (pieces_in_bits b fits e i W). rewrite lor_spec.
    destruct s; simpl in X; rewrite X; auto using orb_true_r. }
  assert (S : forall s, count bs (of_side s e) = count bs (men_of s e) + count bs (kings_of s e)).
  { intros s. rewrite <- filter_lor_length, <- (halves (of_side s e) (kings e)) at 1.
    - unfold men_of, kings_of. rewrite halves. reflexivity.
    - intros i. unfold men_of, kings_of. rewrite bit_without, land_spec.
      destruct (bit (of_side s e) i), (bit (kings e) i); discriminate. }
  pose proof (S White) as SW. pose proof (S Black) as SB. simpl of_side in SW, SB.
  unfold fits_in in A. cbn [fst snd] in A. rewrite !andb_true_iff, !Nat.leb_le in A.
  destruct A as [[LB LW] LN]. fold bs in LB, LW, LN.
  assert (R : forall s i, bit (men_of s e) i = true ->
    In i bs /\ bit (of_side s e) i = true /\ bit (kings e) i = false).
  { intros s i X. unfold men_of in X. rewrite bit_without, andb_true_iff, negb_true_iff in X.
    destruct X as [X Y]. eauto. }
  assert (K : forall s i, bit (kings_of s e) i = true ->
    In i bs /\ bit (of_side s e) i = true /\ bit (kings e) i = true).
  { intros s i X. unfold kings_of in X. rewrite land_spec, andb_true_iff in X.
    destruct X as [X Y]. eauto. }
  assert (F : forall y i, (bit y i = true -> False) -> bit y i = false)
    by (intros y i; destruct (bit y i); [intros G; destruct (G eq_refl) | reflexivity]).
  unfold each_position in E. cbv zeta in E.
  apply (each_choice_part _ _ _ (men_of White e)) in E; [|
    intros i X; apply R in X; destruct X as [X [Y Z]]; split; [exact X|]; apply F; intros G;
      destruct (C i) as [_ H]; specialize (H Y G); congruence | lia].
  assert (L : forall most x, x <= most -> most - (most - x) = x) by (clear; intros; lia).
  destruct E as [wm [Pwm E]]. pose proof Pwm as [Swm _]. rewrite Swm, L in E by lia.
  apply (each_choice_part _ _ _ (men_of Black e)) in E; [| | lia].
  2:{ intros i X. apply R in X. destruct X as [X [Y Z]]. split; [exact X|]. apply F. intros G.
      rewrite lor_spec, orb_true_iff in G. destruct G as [G|G].
      - destruct (C i) as [H _]. specialize (H Y G). congruence.
      - apply R in G. destruct G as [_ [G _]]. exact (D i Y G). }
  destruct E as [bm [Pbm E]]. pose proof Pbm as [Sbm _]. rewrite Sbm, L in E by lia.
  apply (each_choice_part _ _ _ (kings_of Black e)) in E; [| | lia].
  2:{ intros i X. apply K in X. destruct X as [X [Y Z]]. split; [exact X|]. apply F. intros G.
      rewrite lor_spec, orb_true_iff in G. destruct G as [G|G]; apply R in G;
        destruct G as [_ [_ G]]; congruence. }
  destruct E as [bk [Pbk E]]. pose proof Pbk as [Sbk _]. rewrite Sbk, L in E by lia.
  replace (men_of Black e lor kings_of Black e)%uint63 with (black e) in E
    by (symmetry; apply halves).
  rewrite B0, M in E. cbn [negb] in E.
  apply (each_choice_part _ _ _ (kings_of White e)) in E; [| | lia].
  2:{ intros i X. apply K in X. destruct X as [X [Y Z]]. split; [exact X|]. apply F. intros G.
      rewrite !lor_spec, !orb_true_iff in G. destruct G as [[G|G]|G].
      - apply R in G. destruct G as [_ [_ G]]. congruence.
      - apply R in G. destruct G as [_ [_ G]]. congruence.
      - apply K in G. destruct G as [_ [G _]]. exact (D i G Y). }
  destruct E as [wk [Pwk E]]. pose proof Pwk as [Swk _]. rewrite Swk in E.
  replace (men_of White e lor kings_of White e)%uint63 with (white e) in E
    by (symmetry; apply halves).
  rewrite W0 in E. exists wm, bm, bk, wk. unfold parts. auto.
Qed.

Corollary cover_spec : forall mine f cover, forallb (each_position g mine f) cover = true ->
  forall e, to_move e = White -> in_cover g cover e = true -> mine (black e) = true ->
  exists wm bm bk wk, parts e wm bm bk wk /\ f wm bm bk wk = true.
Proof.
  intros mine f cover E e T C M. unfold in_cover in C. rewrite !andb_true_iff in C.
  destruct C as [[A N] P].
  apply existsb_exists in A. destruct A as [c [I A]]. rewrite forallb_forall in E.
  apply negb_true_iff, orb_false_iff in N. destruct N as [B0 W0].
  apply (each_position_spec mine f c (E c I)); assumption.
Qed.

(** * A position of the loop *)

Lemma steps_small : forall s k q j, In j (steps (make_ways b s k q)) -> (j <? digits)%uint63 = true.
Proof.
  intros s k q j I. apply in_map_iff in I. destruct I as [q' [<- I]].
  apply num_small; [exact fits|]. apply in_steps_from in I. apply I.
Qed.

Lemma hops_small : forall s k q h, In h (hops (make_ways b s k q)) ->
  (fst h <? digits)%uint63 = true /\ (snd h <? digits)%uint63 = true.
Proof.
  intros s k q h I. apply in_map_iff in I. destruct I as [[o q'] [<- I]].
  apply in_hops_from in I. destruct I as [O [Q _]]. split; apply num_small; assumption.
Qed.

Variables (table : packed -> value) (e : packed).
Hypothesis white_moves : to_move e = White.
Hypothesis wf : well_formed g e = true.
Hypothesis some_black : (black e =? 0)%uint63 = false.
Let occupied := (black e lor white e)%uint63.

Lemma after_list_app : forall l l' best, best <> Won -> after_list table best (l ++ l')
  = match after_list table best l with Won => Won | better => after_list table better l' end.
Proof.
  induction l as [|y l IH]; intros l' best N.
  - simpl. destruct best; [reflexivity | reflexivity | destruct N; reflexivity].
  - simpl. destruct (judge table y); [reflexivity | apply IH; discriminate | apply IH, N].
Qed.

Lemma after_list_spec : forall l best, best <> Won ->
  match after_list table best l with
  | Won => exists y, In y l /\ judge table y = Lost
  | Drawn => (forall y, In y l -> judge table y = Drawn \/ judge table y = Won) /\
      (best = Drawn \/ exists y, In y l /\ judge table y = Drawn)
  | Lost => best = Lost /\ forall y, In y l -> judge table y = Won
  end.
Proof.
  induction l as [|z l IH]; intros best N; simpl.
  - destruct best; [| | contradiction]; split; auto; intros y [].
  - destruct (judge table z) eqn:J; [eauto | |].
    + assert (D : Drawn <> Won) by discriminate. specialize (IH Drawn D).
      destruct (after_list table Drawn l).
      * destruct IH. discriminate.
      * destruct IH as [A _]. split; [intros y [<-|I]; auto | eauto].
      * destruct IH as [y [I K]]. eauto.
    + specialize (IH best N). destruct (after_list table best l).
      * destruct IH as [A B]. split; [exact A|]. intros y [<-|I]; auto.
      * destruct IH as [A B]. split; [intros y [<-|I]; auto|].
        destruct B as [B|[y [I K]]]; eauto.
      * destruct IH as [y [I K]]. eauto.
Qed.

(** A spot of a piece of White. *)
Definition stands (is_king : bool) (p : spot) : Prop :=
  In p (spots g) /\ bit (white e) (at_bit (cell_of p)) = true /\
  kind_at e (at_bit (cell_of p)) = (if is_king then King else Man).

Lemma after_piece : forall is_king p best, stands is_king p -> best <> Won ->
  after_steps g table (black e) occupied is_king (without (white e) (own p))
    (without (kings e) (own p)) best (if is_king then king_steps p else man_steps p)
  = after_list table best (steps_of g e (cell_of p)).
Proof.
  intros is_king p best [I [B K]] N. apply in_map_iff in I. destruct I as [c [<- C]].
  apply in_map_iff in C. destruct C as [q [<- Q]].
  cbn [cell_of own spot_of] in *. unfold steps_of, mine, of_side.
  rewrite white_moves, B, K, ways_of_cell. set (i := at_bit (make_cell b q)).
  replace (if is_king then king_steps (spot_of g (make_cell b q))
    else man_steps (spot_of g (make_cell b q)))
    with (map one (steps (make_ways b White (if is_king then King else Man) q)))
    by (destruct is_king; reflexivity).
  pose proof (steps_small White (if is_king then King else Man) q) as S.
  revert best N S. generalize (steps (make_ways b White (if is_king then King else Man) q)) as js.
  induction js as [|j js IH]; intros best N S; [reflexivity|].
  assert (S' : forall j, In j js -> (j <? digits)%uint63 = true)
    by (intros x X; apply S; right; exact X).
  simpl. rewrite one_free by (apply S; left; reflexivity).
  destruct (negb (bit occupied j)) eqn:O; fold occupied; rewrite O; [|exact (IH best N S')].
  simpl.
  assert (R : {| black := black e; white := without (white e) (one i) lor one j;
      kings := without (kings e) (one i) lor (if is_king then one j else one j land crown_white g);
      to_move := Black |} = moved g e (if is_king then King else Man) i j 0).
  { assert (Z : forall x, without x 0 = x) by (intros x; apply bit_ext; intros n;
      rewrite bit_without, bit_0; apply andb_true_r).
    unfold moved, mine, theirs, of_side. rewrite white_moves. cbn [other].
    rewrite Z, lor0_r. f_equal. f_equal. destruct is_king; [reflexivity|]. cbn [crown_row].
    apply bit_ext. intros n. rewrite land_spec, bit_one by (apply S; left; reflexivity).
    destruct (j =? n)%uint63 eqn:J.
    - apply eqb_spec in J. subst n. destruct (bit (crown_white g) j); [|symmetry; apply bit_0].
      rewrite bit_one, eqb_refl by (apply S; left; reflexivity). reflexivity.
    - destruct (bit (crown_white g) j); [|symmetry; apply bit_0].
      rewrite bit_one, J by (apply S; left; reflexivity). reflexivity. }
  unfold judge at 1. rewrite <- R. cbn [mine of_side to_move black]. rewrite some_black.
  destruct (table _); [reflexivity | apply IH; [discriminate | exact S'] | apply IH; assumption].
Qed.

Lemma after_pieces_spec : forall is_king ps best, (forall p, In p ps -> stands is_king p) ->
  best <> Won ->
  after_pieces g table (black e) (white e) (kings e) occupied is_king best ps
  = after_list table best (flat_map (steps_of g e) (map cell_of ps)).
Proof.
  intros is_king. induction ps as [|p ps IH]; intros best S N; [reflexivity|]. simpl.
  rewrite (after_piece is_king p best (S p (or_introl eq_refl)) N).
  rewrite after_list_app by exact N.
  assert (S' : forall p, In p ps -> stands is_king p) by (intros q I; apply S; right; exact I).
  destruct (after_list table best (steps_of g e (cell_of p))); [| | reflexivity];
    apply IH; try exact S'; discriminate.
Qed.

Lemma no_capture : forall is_king ps, (forall p, In p ps -> stands is_king p) ->
  can_capture (black e) occupied is_king ps = false ->
  flat_map (captures_of g e) (map cell_of ps) = [].
Proof.
  intros is_king. induction ps as [|p ps IH]; intros S O; [reflexivity|]. simpl in *.
  destruct (is_open (black e) (without occupied (own p)) (if is_king then king_hops p
    else man_hops p)) eqn:F; [discriminate|].
  rewrite (IH (fun q I => S q (or_intror I)) O), app_nil_r.
  destruct (S p (or_introl eq_refl)) as [I [B K]]. apply in_map_iff in I.
  destruct I as [c [<- C]]. apply in_map_iff in C. destruct C as [q [<- Q]].
  cbn [cell_of own spot_of] in *. unfold captures_of, mine, of_side.
  rewrite white_moves, B, K, ways_of_cell. set (i := at_bit (make_cell b q)) in *.
  replace (if is_king then king_hops (spot_of g (make_cell b q))
    else man_hops (spot_of g (make_cell b q)))
    with (hop_masks (hops (make_ways b White (if is_king then King else Man) q))) in F
    by (destruct is_king; reflexivity).
  pose proof (hops_small White (if is_king then King else Man) q) as D.
  unfold theirs. rewrite white_moves. cbn [other of_side].
  replace (filter _ _) with ([] : list (int * int)); [reflexivity|]. symmetry.
  revert F D. generalize (hops (make_ways b White (if is_king then King else Man) q)) as hs.
  induction hs as [|[over to] hs IHh]; intros F D; [reflexivity|]. simpl in *.
  destruct (D _ (or_introl eq_refl)) as [Do Dt]. simpl in Do, Dt.
  rewrite !one_free in F by assumption. unfold open. cbn [fst snd].
  rewrite bit_0. fold occupied. cbn [negb]. rewrite andb_true_r.
  assert (F' : is_open (black e) (without occupied (one i)) (hop_masks hs) = false)
    by (destruct (bit (black e) over), (bit (without occupied (one i)) to); simpl in F;
        try discriminate; exact F).
  destruct (bit (black e) over), (bit (without occupied (one i)) to); simpl in *;
    try discriminate; apply IHh; try exact F'; intros h I; apply D; right; exact I.
Qed.

Lemma captures_listed : forall cs, (forall c, In c cs -> bit (mine e) (at_bit c) = true) ->
  all_captures g e (black e) occupied cs = flat_map (captures_of g e) cs.
Proof.
  induction cs as [|c cs IH]; intros B; [reflexivity|]. cbn [all_captures flat_map].
  rewrite IH by (intros d I; apply B; right; exact I). rewrite add_captures_spec.
  f_equal. unfold captures_of. rewrite (B c (or_introl eq_refl)). unfold theirs.
  rewrite white_moves. reflexivity.
Qed.

Lemma kings_both : (kings_of Black e lor kings_of White e)%uint63 = kings e.
Proof.
  apply bit_ext. intros i. unfold kings_of. rewrite lor_spec, !land_spec. cbn [of_side].
  pose proof (kings_are_pieces b e wf i) as P. destruct (bit (kings e) i);
    [|rewrite !andb_false_r; reflexivity].
  destruct (P eq_refl) as [-> | ->]; rewrite ?orb_true_r; reflexivity.
Qed.

Lemma position_parts : forall wm bm bk wk, parts e wm bm bk wk -> position wm bm bk wk = e.
Proof.
  intros wm bm bk wk [[Swm _] [[Sbm _] [[Sbk _] [Swk _]]]]. unfold position.
  rewrite Swm, Sbm, Sbk, Swk, kings_both. unfold men_of, kings_of. rewrite !halves.
  cbn [of_side]. rewrite <- white_moves. destruct e; reflexivity.
Qed.

Theorem follows_consistent : forall wm bm bk wk, parts e wm bm bk wk ->
  follows g table wm bm bk wk = true -> consistent g (for_both g table) e = true.
Proof.
  intros wm bm bk wk P H. pose proof (position_parts _ _ _ _ P) as E.
  destruct P as [[Swm [Twm Cwm]] [[Sbm [Tbm _]] [[Sbk [Tbk _]] [Swk [Twk Cwk]]]]].
  assert (EB : (set bm lor set bk)%uint63 = black e) by (rewrite <- E; reflexivity).
  assert (EW : (set wm lor set wk)%uint63 = white e) by (rewrite <- E; reflexivity).
  assert (EKK : (set bk lor set wk)%uint63 = kings e) by (rewrite <- E; reflexivity).
  assert (V : table {| black := turned_set wm lor turned_set wk;
      white := turned_set bm lor turned_set bk; kings := turned_set wk lor turned_set bk;
      to_move := Black |} = for_both g table e).
  { unfold for_both. rewrite white_moves. unfold turned. rewrite white_moves. f_equal.
    rewrite Twm, Tbm, Tbk, Twk, <- !flip_lor. unfold men_of, kings_of. rewrite !halves. f_equal.
    f_equal. etransitivity; [|exact kings_both]. apply bit_ext. intros i. rewrite !lor_spec.
    apply orb_comm. }
  unfold follows in H. cbv zeta in H. rewrite E, V, EB, EW, EKK in H. fold occupied in H.
  assert (Kk : forall p, In p (chosen wk) -> stands true p).
  { intros p I. apply Cwk in I. destruct I as [I B]. unfold has, kings_of in B.
    rewrite land_spec, andb_true_iff in B. destruct B as [B C]. split; [exact I|].
    split; [exact B|]. unfold kind_at. rewrite C. reflexivity. }
  assert (Km : forall p, In p (chosen wm) -> stands false p).
  { intros p I. apply Cwm in I. destruct I as [I B]. unfold has, men_of in B.
    rewrite bit_without, andb_true_iff, negb_true_iff in B. destruct B as [B C].
    split; [exact I|]. split; [exact B|]. unfold kind_at. rewrite C. reflexivity. }
  set (movers := map cell_of (chosen wk ++ chosen wm)) in *.
  assert (M : forall c, In c movers <-> In c (cells g) /\ bit (mine e) (at_bit c) = true).
  { intros c. unfold mine. rewrite white_moves. cbn [of_side]. unfold movers.
    rewrite in_map_iff. split.
    - intros [p [<- I]]. apply in_app_iff in I.
      destruct I as [I|I]; [apply Kk in I | apply Km in I]; destruct I as [I [B _]];
        apply in_spots in I; tauto.
    - intros [I B]. exists (spot_of g c). split; [reflexivity|]. apply in_app_iff.
      rewrite Cwk, Cwm. assert (J : In (spot_of g c) (spots g)) by (apply in_map, I).
      unfold has, men_of, kings_of. cbn [cell_of spot_of of_side].
      rewrite land_spec, bit_without, B. destruct (bit (kings e) (at_bit c)); auto. }
  (* Lists of successors that have the same items. *)
  assert (L : forall f, (forall c, bit (mine e) (at_bit c) = false -> f c = []) ->
    forall y, In y (flat_map f movers) <-> In y (flat_map f (cells g) : list packed)).
  { intros f Z y. rewrite !in_flat_map. split; intros [c [I J]]; exists c.
    - apply M in I. tauto.
    - rewrite M. destruct (bit (mine e) (at_bit c)) eqn:B; [auto|]. rewrite (Z c B) in J.
      destruct J. }
  assert (Lc := L (captures_of g e) ltac:(intros c Z; unfold captures_of; rewrite Z; reflexivity)).
  assert (Ls := L (steps_of g e) ltac:(intros c Z; unfold steps_of; rewrite Z; reflexivity)).
  assert (A : (if (if can_capture (black e) occupied true (chosen wk) then true
      else can_capture (black e) occupied false (chosen wm)) then
      all_captures g e (black e) occupied movers else []) = flat_map (captures_of g e) movers).
  { destruct (can_capture (black e) occupied true (chosen wk)) eqn:C1;
      [apply captures_listed; intros c I; apply M, I|].
    destruct (can_capture (black e) occupied false (chosen wm)) eqn:C2;
      [apply captures_listed; intros c I; apply M, I|].
    unfold movers. rewrite map_app, flat_map_app, (no_capture _ _ Kk C1), (no_capture _ _ Km C2).
    reflexivity. }
  rewrite A in H. clear A.
  assert (N : exists next, (forall y, In y next <-> In y (successors g e)) /\
    is (after_list table Lost next) (for_both g table e) = true).
  { rewrite successors_spec. unfold successor_list.
    destruct (flat_map (captures_of g e) movers) as [|y l] eqn:C.
    - exists (flat_map (steps_of g e) movers). split.
      + destruct (flat_map (captures_of g e) (cells g)) as [|z k] eqn:D; [exact Ls|].
        destruct (proj2 (Lc z) (or_introl eq_refl)).
      + rewrite (after_pieces_spec _ _ _ Kk) in H by discriminate.
        unfold movers. rewrite map_app, flat_map_app, after_list_app by discriminate.
        destruct (after_list table Lost (flat_map (steps_of g e) (map cell_of (chosen wk))));
          [| | exact H]; rewrite (after_pieces_spec _ _ _ Km) in H by discriminate; exact H.
    - exists (y :: l). split; [|exact H].
      destruct (flat_map (captures_of g e) (cells g)) as [|z k] eqn:D; [|exact Lc].
      destruct (proj1 (Lc y) (or_introl eq_refl)). }
  destruct N as [next [I N]]. apply is_spec in N.
  assert (J : forall y, In y (successors g e) ->
    judge (for_both g table) y = judge table y).
  { intros y Y. unfold judge, for_both. rewrite (successors_turn _ _ _ Y), white_moves.
    reflexivity. }
  assert (NW : Lost <> Won) by discriminate. pose proof (after_list_spec next Lost NW) as S.
  unfold consistent. rewrite N. destruct (after_list table Lost next).
  - destruct S as [_ S]. apply forallb_forall. intros y Y. rewrite (J y Y).
    apply I in Y. rewrite (S y Y). reflexivity.
  - destruct S as [S [D|[y [Y D]]]]; [discriminate|]. apply drawn_by_complete.
    + intros z Z. rewrite (J z Z). apply S, I, Z.
    + exists y. apply I in Y. rewrite (J y Y). auto.
  - destruct S as [y [Y D]]. apply existsb_exists. exists y. apply I in Y.
    rewrite (J y Y), D. auto.
Qed.
End Board.
