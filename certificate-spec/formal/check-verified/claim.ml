(* CLAIM: SPEC.md, 4. Games are judged by what is proved to know them. Whatever else is not written
   as it must be is an error. *)

open Verified
open Files

type t = {
  board : board;
  rows : int;
  columns : int;
  men_rows : int;
  start : packed;
  claim : claim;
  pieces : (int * int) list;  (** clauses of the cover *)
}

(* A number of rows, squares or pieces: a small one, because a [nat] is a chain. *)
let nat n =
  let rec chain n = if n = 0 then O else S (chain (n - 1)) in
  if n < 0 || n > 62 then fail "expected a number from 0 to 62, found %d" n else chain n

let rec int_of_nat = function O -> 0 | S n -> 1 + int_of_nat n

(* A number in decimal digits. *)
let number text =
  let is_digit c = '0' <= c && c <= '9' in
  if text = "" || String.length text > 9 || not (String.for_all is_digit text) then
    fail "no number: %s" text
  else int_of_string text

let numbers separator text = List.map number (String.split_on_char separator text)

(* {1 Games} *)

(* The board of a game with its rows, its columns, and the rows of men of each side. *)
let read_game text =
  let no_game () = fail "no game: %s" text in
  let rows, columns, men_rows =
    match List.map (numbers 'x') (String.split_on_char '/' text) with
    | [ [ r; c ]; [ n ] ] -> (r, c, n)
    | [ [ r; c ] ] -> (r, c, (r - 2) / 2)
    | _ | (exception Unreadable _) -> no_game ()
  in
  if max rows (max columns men_rows) > 62 then no_game ();
  let board = { rows = nat rows; columns = nat columns } in
  if not (is_game board (nat men_rows)) || game_words board (nat men_rows) <> text then no_game ();
  (board, rows, columns, men_rows)

(* A board alone, which every game with one row of men has. *)
let read_board text =
  match numbers 'x' text with
  | [ r; c ] when max r c <= 62 ->
    let board = { rows = nat r; columns = nat c } in
    if is_game board (nat 1) then board else fail "no board: %s" text
  | _ -> fail "no board: %s" text

(* {1 Positions} *)

let fen (e : packed) =
  let list mask =
    List.init 62 Fun.id
    |> List.filter (fun i -> mask lsr i land 1 = 1)
    |> List.map (fun i -> (if e.kings lsr i land 1 = 1 then "K" else "") ^ string_of_int (i + 1))
    |> String.concat ","
  in
  let turn = match e.to_move with Black -> "B" | White -> "W" in
  Printf.sprintf "%s:W%s:B%s" turn (list e.white) (list e.black)

let mask_of_list text =
  let add (all, kings) word =
    let king = word <> "" && word.[0] = 'K' in
    let square = number (if king then String.sub word 1 (String.length word - 1) else word) in
    if square < 1 || square > 32 then fail "no square: %s" word;
    let bit = 1 lsl (square - 1) in
    (all lor bit, if king then kings lor bit else kings)
  in
  if text = "" then (0, 0) else List.fold_left add (0, 0) (String.split_on_char ',' text)

let read_fen text =
  match String.split_on_char ':' text with
  | [ (("B" | "W") as turn); white; black ]
    when white <> "" && black <> "" && white.[0] = 'W' && black.[0] = 'B' ->
    let rest word = mask_of_list (String.sub word 1 (String.length word - 1)) in
    let (white, white_kings), (black, black_kings) = (rest white, rest black) in
    let to_move = if turn = "B" then Black else White in
    let position = { black; white; kings = white_kings lor black_kings; to_move } in
    if fen position = text then position else fail "expected %s, found %s" (fen position) text
  | _ -> fail "no FEN: %s" text

(* {1 Claims and covers} *)

let claim_of text =
  match List.find_opt (fun claim -> claim_words claim = text) claims with
  | Some claim -> claim
  | None -> fail "no claim: %s" text

let clauses_of pieces = List.map (fun (n, m) -> (nat n, nat m)) pieces

(* A cover in the form of SPEC.md, 8.1, for a board with so many squares. *)
let read_cover squares text =
  let clause word =
    match numbers ':' word with
    | [ n; m ] -> (n, m)
    | [ n ] -> (n, n - 1)
    | _ -> fail "no cover: %s" text
  in
  let clauses = if text = "0" then [] else List.map clause (String.split_on_char ',' text) in
  let rec ascend = function
    | (n, m) :: ((n', m') :: _ as rest) -> n < n' && m > m' && ascend rest
    | _ -> true
  in
  let is_clause (n, m) = 2 <= n && n <= squares && 1 <= m && m < n && n <= 2 * m in
  if List.for_all is_clause clauses && ascend clauses && cover_words (clauses_of clauses) = text
  then clauses
  else fail "no cover: %s" text

(* {1 The file} *)

let is_digest text =
  String.length text = 64
  && String.for_all (fun c -> ('0' <= c && c <= '9') || ('a' <= c && c <= 'f')) text

let read bytes =
  let word line key =
    match String.index_opt line ' ' with
    | Some at when String.sub line 0 at = key ->
      String.sub line (at + 1) (String.length line - at - 1)
    | _ -> fail "CLAIM: expected %s, found %s" key line
  in
  let lines = String.split_on_char '\n' bytes in
  (match String.split_on_char ' ' (List.hd lines) with
   | [ "draughtproof"; "certificate"; "1" ] -> ()
   | [ "draughtproof"; "certificate"; _ ] -> raise (Declined "version file=CLAIM")
   | _ -> fail "CLAIM: no certificate");
  match lines with
  | [ _; rules; game; start; value; pieces; database; "" ] ->
    if word rules "rules" <> "english-checkers-1" then raise (Declined "rules file=CLAIM");
    let board, rows, columns, men_rows = read_game (word game "game") in
    let start = read_fen (word start "start") in
    let claim = claim_of (word value "value") in
    let pieces = read_cover (int_of_nat (length (squares board))) (word pieces "pieces") in
    let database = word database "database" in
    if not (if pieces = [] then database = "none" else is_digest database) then
      fail "CLAIM: no database: %s" database;
    { board; rows; columns; men_rows; start; claim; pieces }
  | _ -> fail "CLAIM: not seven lines"
