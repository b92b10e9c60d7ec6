(* The words of a statement, and that they read back as it. *)
From Coq Require Import List Arith Lia Bool Ascii String.
From Draughtproof Require Import Spec Rules Game Perft Check Soundness.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope nat_scope.

(** * Writing *)

Definition digit (n : nat) : string :=
  nth n ["0"; "1"; "2"; "3"; "4"; "5"; "6"; "7"; "8"; "9"] "".
(** A number below 100. *)
Definition number (n : nat) : string :=
  if n <? 10 then digit n else digit (n / 10) ++ digit (n mod 10).

(** RxC/n, or RxC where n is (R - 2) / 2. *)
Definition game_words (b : board) (n : nat) : string :=
  number (rows b) ++ "x" ++ number (columns b) ++
  if n =? Nat.div2 (rows b - 2) then "" else "/" ++ number n.

Definition side_words (x : side) : string := match x with Black => "BLACK" | White => "WHITE" end.
Definition claim_words (c : claim) : string :=
  match c with
  | Draw => "DRAW"
  | DoesNotLose x => side_words x ++ "-NOT-LOST"
  | Wins x => side_words x ++ "-WINS"
  end.

(** The pieces of a side with the numbers of their squares, of which the first is [i]. *)
Definition piece_of := (nat * kind)%type.
Fixpoint pieces_of (x : side) (i : nat) (ps : list (option (side * kind))) : list piece_of :=
  match ps with
  | [] => []
  | Some (y, k) :: later =>
    match x, y with
    | Black, Black | White, White => (i, k) :: pieces_of x (S i) later
    | _, _ => pieces_of x (S i) later
    end
  | None :: later => pieces_of x (S i) later
  end.

Definition piece_words (p : piece_of) : string :=
  (match snd p with King => "K" | Man => "" end) ++ number (fst p).
Fixpoint later_words (ps : list piece_of) : string :=
  match ps with [] => "" | p :: later => "," ++ piece_words p ++ later_words later end.
Definition list_words (ps : list piece_of) : string :=
  match ps with [] => "" | p :: later => piece_words p ++ later_words later end.

Definition start_words (s : beginning) : string :=
  match s with
  | Initial _ => "initial"
  | Fen t ps => (match t with Black => "B" | White => "W" end) ++
    ":W" ++ list_words (pieces_of White 1 ps) ++ ":B" ++ list_words (pieces_of Black 1 ps)
  end.

(** A statement about a game with [n] rows of men. *)
Definition statement_words (n : nat) (st : statement) : string :=
  claim_words (the_claim st) ++ " " ++ game_words (the_board st) n ++
  " start=" ++ start_words (the_start st).

(** * Reading *)

Definition digit_of (a : ascii) : option nat :=
  let n := nat_of_ascii a in if (48 <=? n) && (n <=? 57) then Some (n - 48) else None.

Definition read_number (text : string) : option (nat * string) :=
  match text with
  | String a rest =>
    match digit_of a with
    | None => None
    | Some d =>
      match rest with
      | String a' rest' =>
        match digit_of a' with Some d' => Some (10 * d + d', rest') | None => Some (d, rest) end
      | "" => Some (d, rest)
      end
    end
  | "" => None
  end.

(** What follows [word] in a text. *)
Fixpoint after (word text : string) : option string :=
  match word, text with
  | "", _ => Some text
  | String a w, String a' t => if Ascii.eqb a a' then after w t else None
  | _, _ => None
  end.

Definition read_piece (text : string) : option (piece_of * string) :=
  let '(k, text) := match after "K" text with Some t => (King, t) | None => (Man, text) end in
  match read_number text with Some (i, t) => Some ((i, k), t) | None => None end.

Fixpoint read_later (most : nat) (text : string) : option (list piece_of * string) :=
  match after "," text, most with
  | None, _ => Some ([], text)
  | Some t, S most =>
    match read_piece t with
    | None => None
    | Some (p, t) =>
      match read_later most t with Some (ps, t) => Some (p :: ps, t) | None => None end
    end
  | Some _, O => None
  end.

Definition read_list (most : nat) (text : string) : option (list piece_of * string) :=
  match read_piece text with
  | None => Some ([], text)
  | Some (p, t) => match read_later most t with Some (ps, t) => Some (p :: ps, t) | None => None end
  end.

(** Square by square, from two lists in the order of squares. *)
Fixpoint placed_by (squares i : nat) (ws bs : list piece_of) : list (option (side * kind)) :=
  match squares with
  | O => []
  | S squares =>
    match ws, bs with
    | (j, k) :: ws', _ => if j =? i then Some (White, k) :: placed_by squares (S i) ws' bs else
      match bs with
      | (j, k) :: bs' => if j =? i then Some (Black, k) :: placed_by squares (S i) ws bs'
        else None :: placed_by squares (S i) ws bs
      | [] => None :: placed_by squares (S i) ws bs
      end
    | [], (j, k) :: bs' => if j =? i then Some (Black, k) :: placed_by squares (S i) ws bs'
      else None :: placed_by squares (S i) ws bs
    | [], [] => None :: placed_by squares (S i) ws bs
    end
  end.

Definition read_side (text : string) : option (side * string) :=
  match after "B" text with
  | Some t => Some (Black, t)
  | None => match after "W" text with Some t => Some (White, t) | None => None end
  end.

Definition read_start (b : board) (n : nat) (text : string) : option beginning :=
  match after "initial" text with
  | Some "" => Some (Initial n)
  | _ =>
    match read_side text with
    | None => None
    | Some (t, text) =>
      match after ":W" text with
      | None => None
      | Some text =>
        let most := Datatypes.length (squares b) in
        match read_list most text with
        | None => None
        | Some (ws, text) =>
          match after ":B" text with
          | None => None
          | Some text =>
            match read_list most text with
            | Some (bs, "") => Some (Fen t (placed_by most 1 ws bs))
            | _ => None
            end
          end
        end
      end
    end
  end.

Definition read_game (text : string) : option (board * nat * string) :=
  match read_number text with
  | None => None
  | Some (r, text) =>
    match after "x" text with
    | None => None
    | Some text =>
      match read_number text with
      | None => None
      | Some (c, text) =>
        let b := {| rows := r; columns := c |} in
        match after "/" text with
        | None => Some (b, Nat.div2 (r - 2), text)
        | Some text =>
          match read_number text with Some (n, text) => Some (b, n, text) | None => None end
        end
      end
    end
  end.

Definition claims : list claim :=
  [Draw; DoesNotLose Black; DoesNotLose White; Wins Black; Wins White].
Fixpoint read_claim (among : list claim) (text : string) : option (claim * string) :=
  match among with
  | [] => None
  | c :: others =>
    match after (claim_words c) text with
    | Some t => Some (c, t)
    | None => read_claim others text
    end
  end.

Definition read_statement (text : string) : option (nat * statement) :=
  match read_claim claims text with
  | None => None
  | Some (c, text) =>
    match after " " text with
    | None => None
    | Some text =>
      match read_game text with
      | None => None
      | Some (b, n, text) =>
        match after " start=" text with
        | None => None
        | Some text =>
          match read_start b n text with
          | None => None
          | Some s => Some (n, {| the_board := b; the_start := s; the_claim := c |})
          end
        end
      end
    end
  end.

(** * What is written reads back *)

Definition no_digit (text : string) : Prop :=
  match text with "" => True | String a _ => digit_of a = None end.

Lemma append_assoc : forall a b c : string, (a ++ b) ++ c = a ++ (b ++ c).
Proof. induction a as [|x a IH]; intros b c; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma after_word : forall word text, after word (word ++ text) = Some text.
Proof.
  induction word as [|a word IH]; intros text; [destruct text; reflexivity|].
  simpl. rewrite Ascii.eqb_refl. apply IH.
Qed.

Lemma number_reads : forall n text, n < 100 -> no_digit text ->
  read_number (number n ++ text) = Some (n, text).
Proof.
  intros n text L N.
  do 10 (destruct n as [|n]; [destruct text as [|a text]; simpl in *; [reflexivity|];
    unfold read_number; simpl; rewrite N; reflexivity|]).
  do 90 (destruct n as [|n]; [reflexivity|]). lia.
Qed.

(** Only a list that is read as it was written can be told from what follows it. *)
Definition ends_list (text : string) : Prop := text = "" \/ exists t, text = ":B" ++ t.

Lemma piece_reads : forall p text, fst p < 100 -> no_digit text ->
  read_piece (piece_words p ++ text) = Some (p, text).
Proof.
  intros [i k] text L N. unfold piece_words, read_piece. cbn [fst snd].
  destruct k; cbn [append].
  - assert (K : after "K" (number i ++ text) = None).
    { clear N. do 100 (destruct i as [|i]; [reflexivity|]). simpl in L. lia. }
    rewrite K, number_reads by assumption. reflexivity.
  - change (after "K" (String "K" (number i ++ text))) with (after "" (number i ++ text)).
    assert (E : after "" (number i ++ text) = Some (number i ++ text)).
    { destruct (number i ++ text); reflexivity. }
    rewrite E, number_reads by assumption. reflexivity.
Qed.

Lemma later_no_digit : forall ps text, ends_list text -> no_digit (later_words ps ++ text).
Proof.
  intros [|p ps] text E; [|reflexivity]. destruct E as [->|[t ->]]; [exact I | reflexivity].
Qed.

Lemma later_reads : forall ps most text, List.length ps <= most ->
  Forall (fun p => fst p < 100) ps -> ends_list text ->
  read_later most (later_words ps ++ text) = Some (ps, text).
Proof.
  induction ps as [|p ps IH]; intros most text L F E.
  - destruct E as [->|[t ->]]; destruct most; reflexivity.
  - destruct most as [|most]; [simpl in L; lia|]. inversion F as [|p' ps' P Q]; subst.
    cbn [later_words]. rewrite !append_assoc. cbn [append read_later after Ascii.eqb].
    assert (A : after "," (String "," (piece_words p ++ later_words ps ++ text))
      = Some (piece_words p ++ later_words ps ++ text)).
    { exact (after_word "," _). }
    simpl. simpl in A.
    rewrite piece_reads; [|exact P | apply later_no_digit, E].
    rewrite IH; [reflexivity | simpl in L; lia | exact Q | exact E].
Qed.

Lemma list_reads : forall ps most text, List.length ps <= S most ->
  Forall (fun p => fst p < 100) ps -> ends_list text ->
  read_list most (list_words ps ++ text) = Some (ps, text).
Proof.
  intros [|p ps] most text L F E.
  - destruct E as [->|[t ->]]; reflexivity.
  - inversion F as [|p' ps' P Q]; subst. cbn [list_words]. unfold read_list.
    rewrite append_assoc, piece_reads; [|exact P | apply later_no_digit, E].
    rewrite later_reads; [reflexivity | simpl in L; lia | exact Q | exact E].
Qed.

Lemma pieces_bounds : forall x ps i, Forall (fun p => i <= fst p < i + List.length ps)
  (pieces_of x i ps).
Proof.
  intros x. induction ps as [|[[y k]|] ps IH]; intros i; simpl; [constructor| |].
  - assert (G : Forall (fun p => i <= fst p < i + S (List.length ps)) (pieces_of x (S i) ps)).
    { eapply Forall_impl; [|apply IH]. intros p P. simpl in *. lia. }
    destruct x, y; try exact G; (constructor; [simpl; lia | exact G]).
  - eapply Forall_impl; [|apply IH]. intros p P. simpl in *. lia.
Qed.

Lemma pieces_length : forall x ps i, List.length (pieces_of x i ps) <= List.length ps.
Proof.
  intros x. induction ps as [|[[y k]|] ps IH]; intros i; simpl; [lia| |].
  - specialize (IH (S i)). destruct x, y; simpl; lia.
  - specialize (IH (S i)). lia.
Qed.

Lemma placed_back : forall ps i,
  placed_by (List.length ps) i (pieces_of White i ps) (pieces_of Black i ps) = ps.
Proof.
  assert (H : forall x ps i p later, pieces_of x (S i) ps = p :: later -> (fst p =? i) = false).
  { intros x ps i p later E. pose proof (pieces_bounds x ps (S i)) as B. rewrite E in B.
    inversion B as [|q l P Q]; subst. apply Nat.eqb_neq. lia. }
  induction ps as [|[[y k]|] ps IH]; intros i; [reflexivity| |]; cbn [List.length pieces_of].
  - destruct y; cbn [placed_by].
    + specialize (H White ps i).
      destruct (pieces_of White (S i) ps) as [|[j k'] l] eqn:E.
      * cbn [placed_by]. rewrite Nat.eqb_refl. f_equal. specialize (IH (S i)).
        rewrite E in IH. exact IH.
      * specialize (H _ _ eq_refl). cbn [fst] in H. cbn [placed_by]. rewrite H, Nat.eqb_refl.
        f_equal. specialize (IH (S i)). rewrite E in IH. exact IH.
    + rewrite Nat.eqb_refl. f_equal. apply IH.
  - pose proof (H White ps i) as HW. pose proof (H Black ps i) as HB.
    destruct (pieces_of White (S i) ps) as [|[j k] l] eqn:E;
      destruct (pieces_of Black (S i) ps) as [|[j' k'] l'] eqn:E'; cbn [placed_by];
      try specialize (HW _ _ eq_refl); try specialize (HB _ _ eq_refl); cbn [fst] in *;
      rewrite ?HW, ?HB; f_equal; specialize (IH (S i)); rewrite E, E' in IH; exact IH.
Qed.

Lemma squares_few : forall b, board_exists b -> List.length (squares b) < 99.
Proof.
  intros [r c] [[_ R] [[_ C] _]]. cbn [rows columns] in *. unfold squares. cbn [rows columns].
  do 9 (destruct r as [|r]; [do 9 (destruct c as [|c]; [vm_compute; lia|]); lia|]). lia.
Qed.

Lemma game_reads : forall b n text, game_exists b n -> no_digit text ->
  after "/" text = None -> read_game (game_words b n ++ text) = Some (b, n, text).
Proof.
  intros [r c] n text [[R [C _]] [_ N]] D A. cbn [rows columns] in *.
  assert (L : n < 100).
  { pose proof (Nat.div2_decr r r). lia. }
  unfold game_words, read_game. cbn [rows columns]. rewrite !append_assoc.
  rewrite number_reads; [|lia | reflexivity].
  rewrite after_word. destruct (n =? Nat.div2 (r - 2)) eqn:E.
  - rewrite number_reads; [|lia | exact D]. cbn [append]. rewrite A.
    apply Nat.eqb_eq in E. rewrite <- E. reflexivity.
  - rewrite number_reads; [|lia | reflexivity]. rewrite append_assoc, after_word.
    rewrite number_reads; [reflexivity | lia | exact D].
Qed.

Lemma claim_reads : forall c text, read_claim claims (claim_words c ++ text) = Some (c, text).
Proof.
  intros c text. destruct c as [|[]|[]];
    cbn [claim_words side_words claims read_claim append after]; destruct text; reflexivity.
Qed.

Lemma start_reads : forall b n s, board_exists b ->
  match s with Initial k => k = n | Fen _ ps => List.length ps = List.length (squares b) end ->
  read_start b n (start_words s) = Some s.
Proof.
  intros b n [k|t ps] B E; [subst; reflexivity|].
  assert (F : forall x, Forall (fun p => fst p < 100) (pieces_of x 1 ps)).
  { intros x. eapply Forall_impl; [|apply pieces_bounds]. intros p P. simpl in P.
    pose proof (squares_few b B). lia. }
  assert (L : forall x, List.length (pieces_of x 1 ps) <= S (List.length (squares b))).
  { intros x. pose proof (pieces_length x ps 1). lia. }
  unfold read_start. cbn [start_words].
  set (ws := list_words (pieces_of White 1 ps)). set (bs := list_words (pieces_of Black 1 ps)).
  assert (I : after "initial" ((match t with Black => "B" | White => "W" end) ++ ":W" ++ ws ++ ":B"
    ++ bs) = None) by (destruct t; reflexivity).
  rewrite I.
  assert (S' : read_side ((match t with Black => "B" | White => "W" end) ++ ":W" ++ ws ++ ":B" ++
    bs) = Some (t, ":W" ++ ws ++ ":B" ++ bs)) by (destruct t; reflexivity).
  rewrite S', after_word. unfold ws.
  rewrite list_reads; [|apply L | apply F | right; eexists; reflexivity].
  rewrite after_word. unfold bs.
  assert (Z : forall x, x ++ "" = x).
  { induction x as [|a x IH]; simpl; [reflexivity | rewrite IH; reflexivity]. }
  rewrite <- (Z (list_words (pieces_of Black 1 ps))).
  rewrite list_reads; [|apply L | apply F | left; reflexivity].
  rewrite <- E, placed_back. reflexivity.
Qed.

(** What is printed reads back as what was proved. *)
Theorem statement_reads : forall n st, valid st -> game_exists (the_board st) n ->
  (forall k, the_start st = Initial k -> k = n) ->
  read_statement (statement_words n st) = Some (n, st).
Proof.
  intros n [b s c] V G K. cbn [the_board the_start] in *. unfold read_statement, statement_words.
  cbn [the_board the_start the_claim].
  rewrite claim_reads, after_word, game_reads by (exact G || exact I || reflexivity).
  rewrite after_word, start_reads; [reflexivity | apply G |].
  destruct s as [k|t ps]; [exact (K k eq_refl) | apply V].
Qed.
