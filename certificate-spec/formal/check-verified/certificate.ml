(* Reads the files of a certificate of format 1. Nothing here is trusted, hashes are not looked at,
   and what cannot be read is an error. *)

open Verified

exception Unreadable of string

let fail format = Printf.ksprintf (fun text -> raise (Unreadable text)) format

let read_file path =
  let file = open_in_bin path in
  let read () = really_input_string file (in_channel_length file) in
  Fun.protect ~finally:(fun () -> close_in file) read

(* A number of rows, squares or pieces: a small one, because a [nat] is a chain. *)
let nat n =
  let rec chain n = if n = 0 then O else S (chain (n - 1)) in
  if n < 0 || n > 62 then fail "expected a number from 0 to 62, found %d" n else chain n

(* A number in decimal digits. *)
let number text =
  let is_digit c = '0' <= c && c <= '9' in
  if text = "" || String.length text > 9 || not (String.for_all is_digit text) then
    fail "no number: %s" text
  else int_of_string text

(* {1 CLAIM} *)

type head = {
  rows : int;
  columns : int;
  men_rows : int;
  start : packed;
  claimed : string;
  pieces : (int * int) list;  (** clauses of the cover *)
}

let mask_of_list text =
  let add (all, kings) word =
    let king = word.[0] = 'K' in
    let square = number (if king then String.sub word 1 (String.length word - 1) else word) in
    if square < 1 || square > 62 then fail "no square: %s" word;
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
    { black; white; kings = white_kings lor black_kings; to_move }
  | _ -> fail "no FEN: %s" text

let read_cover text =
  let clause word =
    match List.map number (String.split_on_char ':' word) with
    | [ n; m ] -> (n, m)
    | [ n ] -> (n, n - 1)
    | _ -> fail "no cover: %s" text
  in
  if text = "0" then [] else List.map clause (String.split_on_char ',' text)

let read_claim path =
  let word line key =
    match String.index_opt line ' ' with
    | Some at when String.sub line 0 at = key ->
      String.sub line (at + 1) (String.length line - at - 1)
    | _ -> fail "%s: expected %s, found %s" path key line
  in
  match String.split_on_char '\n' (read_file path) with
  | [ first; rules; game; start; value; pieces; _; "" ] ->
    if first <> "draughtproof certificate 1" then fail "%s: not of format 1" path;
    if word rules "rules" <> "english-checkers-1" then fail "%s: other rules" path;
    let game = word game "game" and start = read_fen (word start "start") in
    let rows, columns, men_rows =
      match Tables.scan game "%dx%d/%d%!" (fun r c n -> (r, c, n)) with
      | Some found -> found
      | None -> Scanf.sscanf game "%dx%d%!" (fun r c -> (r, c, (r - 2) / 2))
    in
    let claimed = word value "value" and pieces = read_cover (word pieces "pieces") in
    { rows; columns; men_rows; start; claimed; pieces }
  | _ -> fail "%s: not seven lines" path

(* {1 Binary files} *)

type cursor = { bytes : string; mutable at : int }

let byte cursor =
  let value = Char.code cursor.bytes.[cursor.at] in
  cursor.at <- cursor.at + 1;
  value

let rec varint cursor =
  let low = byte cursor in
  if low < 128 then low else low - 128 + (128 * varint cursor)

(* So many things follow, each of a byte at least. *)
let how_many cursor =
  let n = varint cursor in
  if n < 0 || n > String.length cursor.bytes - cursor.at then fail "a list that the file ends in";
  n

let take cursor length =
  let text = String.sub cursor.bytes cursor.at length in
  cursor.at <- cursor.at + length;
  text

let u32 cursor at = Int32.to_int (String.get_int32_le cursor.bytes (cursor.at + at)) land 0xffffffff
let u64 cursor at = Int64.to_int (String.get_int64_le cursor.bytes (cursor.at + at))

type item_object = { kind : int; question : int; first : int; count : int; name : string }

let hexadecimal digest =
  let digits c = Printf.sprintf "%02x" (Char.code c) in
  String.concat "" (List.map digits (List.of_seq (String.to_seq digest)))

let read_manifest path =
  let cursor = { bytes = read_file path; at = 12 } in
  if String.sub cursor.bytes 0 12 <> "DPCERT\000\000\001\000\000\000"
    then fail "%s: not of format 1" path;
  ignore (varint cursor);
  ignore (take cursor 32);
  let read_object _ =
    let kind = varint cursor in
    let question = varint cursor in
    let first = varint cursor in
    let count = varint cursor in
    ignore (varint cursor);
    { kind; question; first; count; name = hexadecimal (take cursor 32) }
  in
  List.map read_object (List.init (how_many cursor) Fun.id)

(* The bits of a strategy, of each byte from its lowest. *)
let bits_of text =
  let rec before at rest =
    if at < 0 then rest
    else before (at - 1) ((Char.code text.[at / 8] lsr (at land 7) land 1 = 1) :: rest)
  in
  before ((8 * String.length text) - 1) []

let open_object directory item =
  let path = Filename.concat (Filename.concat directory "objects") item.name in
  let cursor = { bytes = read_file path; at = 12 } in
  let question = varint cursor in
  let first = varint cursor in
  let count = how_many cursor in
  if (question, first, count) <> (item.question, item.first, item.count) then
    fail "%s: not what MANIFEST says" item.name;
  cursor

let read_leaves directory item =
  let cursor = open_object directory item in
  let entry _ =
    let length = u64 cursor 0 and positions = u64 cursor 8 in
    cursor.at <- cursor.at + 16;
    (length, positions)
  in
  let entries = List.map entry (List.init item.count Fun.id) in
  List.map (fun (length, positions) -> (positions, bits_of (take cursor length))) entries

(* An Assumed node says nothing that could be verified. *)
exception Assumed

let read_nodes directory item leaves =
  let cursor = open_object directory item in
  let read_node _ =
    let data = u32 cursor 16 and kind = Char.code cursor.bytes.[cursor.at + 21] in
    let turn = Char.code cursor.bytes.[cursor.at + 20] and rank = u32 cursor 12 in
    let reserved = String.get_uint16_le cursor.bytes (cursor.at + 22) in
    (* What the proof does not need, but SPEC.md, 6, asks for. *)
    if turn > 1 || reserved <> 0 || (kind = 2 && data <> 0) || (item.question < 2 && rank <> 0) then
      fail "%s: a node is not written as it must be" item.name;
    let to_move = if turn = 1 then White else Black in
    let place = { black = u32 cursor 0; white = u32 cursor 4; kings = u32 cursor 8; to_move } in
    let why =
      match kind with
      | 1 -> Or data
      | 2 -> And
      | 3 -> let positions, strategy = leaves.(data) in Leaf (positions, strategy)
      | _ -> raise Assumed
    in
    let node = { place; rank; why } in
    cursor.at <- cursor.at + 24;
    node
  in
  List.map read_node (List.init item.count Fun.id)

(* The nodes of a question, 0 to 3. *)
let question directory items number =
  let of_kind kind = List.filter (fun item -> item.question = number && item.kind = kind) items in
  let leaves = Array.of_list (List.concat_map (read_leaves directory) (of_kind 1)) in
  List.concat_map (fun item -> read_nodes directory item leaves) (of_kind 0)
