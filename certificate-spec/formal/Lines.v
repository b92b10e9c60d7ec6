(* The line of a verdict and its exit status, and the line that shards are joined to. *)
From Coq Require Import List Arith Lia Bool Ascii String Uint63.
From Draughtproof Require Import Spec Rules Game Perft Cover Check Soundness Joined Words.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope nat_scope.

(** * The statement that a text begins with *)

(** A text up to its next space but [n]. *)
Fixpoint front (n : nat) (text : string) : string :=
  match text with
  | "" => ""
  | String a rest =>
    if Ascii.eqb a " " then match n with 0 => "" | S n' => String a (front n' rest) end
    else String a (front n rest)
  end.

(** A statement is three words: claim, game and start. *)
Definition begins_with (text : string) : option (nat * statement) := read_statement (front 2 text).

Fixpoint spaces (text : string) : nat :=
  match text with "" => 0 | String a rest => (if Ascii.eqb a " " then 1 else 0) + spaces rest end.

Lemma spaces_append : forall a b : string, spaces (a ++ b) = spaces a + spaces b.
Proof. induction a as [|x a IH]; intros b; simpl; [|rewrite IH]; lia. Qed.

Lemma front_spaces : forall text later, front (spaces text) (text ++ String " " later) = text.
Proof.
  induction text as [|a text IH]; intros later; simpl; [reflexivity|].
  destruct (Ascii.eqb a " "); simpl; rewrite IH; reflexivity.
Qed.

Lemma number_spaces : forall n, spaces (number n) = 0.
Proof.
  assert (D : forall n, spaces (digit n) = 0).
  { intros n. do 10 (destruct n as [|n]; [reflexivity|]). destruct n; reflexivity. }
  intros n. unfold number. destruct (n <? 10); rewrite ?spaces_append, !D; reflexivity.
Qed.

Lemma list_spaces : forall ps, spaces (list_words ps) = 0.
Proof.
  assert (P : forall p, spaces (piece_words p) = 0).
  { intros [i k]. unfold piece_words. rewrite spaces_append, number_spaces.
    destruct k; reflexivity. }
  intros [|p ps]; [reflexivity|]. simpl. rewrite spaces_append, P.
  induction ps as [|q ps IH]; [reflexivity|]. simpl in *. rewrite spaces_append, P. exact IH.
Qed.

Lemma statement_spaces : forall n st, spaces (statement_words n st) = 2.
Proof.
  intros n [b s c]. unfold statement_words, game_words. cbn [the_board the_start the_claim].
  rewrite !spaces_append, !number_spaces.
  assert (C : spaces (claim_words c) = 0) by (destruct c as [|[]|[]]; reflexivity).
  assert (S : spaces (start_words s) = 0).
  { destruct s as [k|t ps]; [reflexivity|]. cbn [start_words].
    rewrite !spaces_append, !list_spaces. destruct t; reflexivity. }
  rewrite C, S. destruct (n =? _); rewrite ?spaces_append, ?number_spaces; reflexivity.
Qed.

Lemma statement_begins : forall n st later, valid st -> game_exists (the_board st) n ->
  (forall k, the_start st = Initial k -> k = n) ->
  begins_with (statement_words n st ++ String " " later) = Some (n, st).
Proof.
  intros n st later V G K. unfold begins_with.
  rewrite <- (statement_spaces n st), front_spaces. apply statement_reads; assumption.
Qed.

(** * The line of a verdict *)

(** What is checked: all, in so many processes; a shard with its name; or all but the table. *)
Inductive extent :=
| Whole (processes : int)
| Shard (k m : int) (name : string)
| But_table.

Definition clause_words (c : clause) : string :=
  number (fst c) ++ if snd c =? fst c - 1 then "" else ":" ++ number (snd c).
Definition cover_words (cover : list clause) : string :=
  match cover with [] => "0" | _ => String.concat "," (map clause_words cover) end.

(** What was verified of the database. *)
Definition level_words (x : extent) (ev : evidence) (c : claim) : string :=
  match cover ev, x, c with
  | [], _, _ => "none"
  | _, But_table, _ => "assumed"
  | _, _, Wins _ => "settled"
  | _, _, _ => "consistent"
  end.

Section Verdict.
(** Whether [f] is true of all shards, each in a process of its own. *)
Variable all_shards : int -> (int -> bool) -> bool.
Hypothesis all_shards_true : forall m f, all_shards m f = true ->
  forall k, (k <? m)%uint63 = true -> f k = true.

Definition judged (x : extent) (ev : evidence) (e : packed) (c : claim) : bool :=
  match x with
  | Whole m =>
    if (m =? 1)%uint63 then check ev e c
    else (0 <? m)%uint63 && all_shards m (fun k => check_shard k m ev e c)
  | Shard k m _ => check_shard k m ev e c
  | But_table => match cover ev with [] => check ev e c | _ => check_proof ev e c end
  end.

(** The fields that all lines of a check share; [root] is the root of the certificate. *)
Definition fields_of (x : extent) (ev : evidence) (c : claim) (root : string) : string :=
  "root=" ++ root ++ " format=1 rules=english-checkers-1 db=" ++ level_words x ev c ++
  " pieces=" ++ cover_words (cover ev).
Definition said_of (x : extent) (n : nat) (ev : evidence) (e : packed) (c : claim)
  (root : string) : string :=
  statement_words n (stated (of_board ev) n e c) ++ String " " (fields_of x ev c root).

(** The exit status and the line; a shard has further fields. *)
Definition verdict (x : extent) (n : nat) (ev : evidence) (e : packed) (c : claim)
  (root : string) (fields : unit -> string) : nat * string :=
  if is_game (of_board ev) n && judged x ev e c then
    let said := said_of x n ev e c root in
    match x, cover ev with
    | Shard _ _ name, _ =>
      (5, "s VERIFIED SHARD " ++ name ++ " " ++ said ++ fields tt)
    | But_table, _ :: _ => (2, "s CONDITIONAL " ++ said)
    | _, _ => (0, "s VERIFIED " ++ said)
    end
  else (1, "s REFUTED").

Lemma said_begins : forall x n ev e c root, board_exists (of_board ev) ->
  is_game (of_board ev) n = true ->
  begins_with (said_of x n ev e c root) = Some (n, stated (of_board ev) n e c).
Proof.
  intros x n ev e c root B G. apply statement_begins; [| apply is_game_exists, G |].
  - unfold valid, stated. cbn [the_board the_start].
    destruct (is_game _ _ && equal _ _)%bool; [apply is_game_exists, G|].
    split; [exact B | apply map_length].
  - intros k. unfold stated. cbn [the_start].
    destruct (is_game (of_board ev) n && equal e (start_of (of_board ev) n))%bool; congruence.
Qed.

(** With status 0 the line begins with a statement that holds. *)
Theorem verdict_means : forall x n ev e c root fields line,
  verdict x n ev e c root fields = (0, line) ->
  exists said st, line = "s VERIFIED " ++ said /\ begins_with said = Some (n, st) /\ means st.
Proof.
  intros x n ev e c root fields line V. unfold verdict in V.
  destruct (is_game (of_board ev) n) eqn:G; [|discriminate]. cbn [andb] in V.
  destruct (judged x ev e c) eqn:J; [|discriminate].
  assert (M : line = "s VERIFIED " ++ said_of x n ev e c root /\
    means (stated (of_board ev) n e c)).
  { unfold judged in J. destruct x as [m|k m name|].
    - injection V as <-. split; [reflexivity|].
      destruct (m =? 1)%uint63; [apply check_means, J|]. apply andb_true_iff in J.
      destruct J as [P J]. apply (shards_means m); [exact P | exact (all_shards_true _ _ J)].
    - discriminate.
    - destruct (cover ev); [|discriminate]. injection V as <-.
      split; [reflexivity | apply check_means, J]. }
  destruct M as [-> M]. exists (said_of x n ev e c root), (stated (of_board ev) n e c).
  split; [reflexivity|]. split; [|exact M]. apply said_begins; [|exact G].
  apply is_game_exists in G. apply G.
Qed.

(** With status 5 it is the line of a shard that was accepted. *)
Theorem verdict_shard : forall x n ev e c root fields line,
  verdict x n ev e c root fields = (5, line) ->
  exists k m name, x = Shard k m name /\ check_shard k m ev e c = true /\
  line = "s VERIFIED SHARD " ++ name ++ " " ++ said_of x n ev e c root ++ fields tt.
Proof.
  intros x n ev e c root fields line V. unfold verdict in V.
  destruct (is_game (of_board ev) n && judged x ev e c) eqn:J; [|discriminate].
  apply andb_true_iff in J. destruct J as [_ J].
  destruct x as [m|k m name|]; [discriminate | | destruct (cover ev); discriminate].
  injection V as <-. exists k, m, name. auto.
Qed.

(** With status 2 all but the table was accepted. *)
Theorem verdict_conditional : forall x n ev e c root fields line,
  verdict x n ev e c root fields = (2, line) ->
  check_proof ev e c = true /\ line = "s CONDITIONAL " ++ said_of x n ev e c root.
Proof.
  intros x n ev e c root fields line V. unfold verdict in V.
  destruct (is_game (of_board ev) n && judged x ev e c) eqn:J; [|discriminate].
  apply andb_true_iff in J. destruct J as [_ J].
  destruct x as [m|k m name|]; try discriminate. unfold judged in J.
  destruct (cover ev); [discriminate|]. injection V as <-. auto.
Qed.
End Verdict.

(** * The line of joined shards *)

(** What the lines of all [count] shards are joined to, if what they say begins with a statement
    about a game that there is. *)
Definition merged (count : string) (lines : list (partial string)) : option string :=
  match joined string String.eqb lines with
  | None => None
  | Some said =>
    match begins_with said with
    | None => None
    | Some (n, st) =>
      if is_game (the_board st) n
      then Some ("s VERIFIED " ++ said ++ " shards=" ++ count ++ " keys=none")
      else None
    end
  end.

(** What a run says: its statement, and then anything that is made from what it was given. *)
Definition words_with (later : run -> string) (r : run) : string :=
  statement_words (men_rows r) (states r) ++ String " " (later r).
(** A run of a game that there is. *)
Definition of_game (r : run) : Prop := game_exists (of_board (given r)) (men_rows r).

(** Let each line come of a run that has accepted. Then what they are joined to begins with a
    statement that holds, or two of these runs collide. *)
Theorem merged_means : forall later count lines runs line,
  Forall2 (comes_of string (words_with later)) lines runs -> Forall of_game runs ->
  merged count lines = Some line ->
  exists said n st,
    line = "s VERIFIED " ++ said ++ " shards=" ++ count ++ " keys=none" /\
    begins_with said = Some (n, st) /\ game_exists (the_board st) n /\
    (means st \/ exists r r', In r runs /\ In r' runs /\ collide string (words_with later) r r').
Proof.
  intros later count lines runs line C G M. unfold merged in M.
  destruct (joined string String.eqb lines) as [said|] eqn:J; [|discriminate].
  destruct (begins_with said) as [[n st]|] eqn:B; [|discriminate].
  destruct (is_game (the_board st) n) eqn:Y; [|discriminate]. injection M as <-.
  exists said, n, st. split; [reflexivity|]. split; [exact B|]. split; [apply is_game_exists, Y|].
  destruct (joined_means string String.eqb (fun v w E => proj1 (String.eqb_eq v w) E) _ _ _ _ C J)
    as [r [I [W [H|[r' [I' X]]]]]]; [left | right; eauto].
  rewrite Forall_forall in G. pose proof (G r I) as E. unfold words_with in W. subst said.
  rewrite statement_begins in B; [injection B as _ <-; exact H | apply H | exact E |].
  intros k. unfold states, stated. cbn [the_start].
  destruct (is_game _ _ && equal _ _)%bool; congruence.
Qed.
