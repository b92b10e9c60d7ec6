(* check-verified CERTIFICATE [--db DIR] [--jobs N] [--shard K/N | --assume-table]
   check-verified perft RxC DEPTH
   check-verified successors RxC

   Reads a certificate, and tables of a database that `prove db --map` has made, and lets the
   program that was extracted from Check.v judge them: at the level consistent, or for a win by
   depths that fall. With --assume-table all but the table is judged, and the verdict is
   CONDITIONAL. *)

open Verified

let usage () =
  prerr_endline "usage: check-verified CERTIFICATE [--db DIR] [--jobs N] [--shard K/N | --assume-table]\n\
                \       check-verified perft RxC DEPTH\n\
                \       check-verified successors RxC < FENS";
  exit 4

let board rows columns = { rows = Certificate.nat rows; columns = Certificate.nat columns }

let rec int_of_nat = function O -> 0 | S n -> 1 + int_of_nat n

let claim_of = function
  | "DRAW" -> Draw
  | "BLACK-NOT-LOST" -> DoesNotLose Black
  | "WHITE-NOT-LOST" -> DoesNotLose White
  | "BLACK-WINS" -> Wins Black
  | "WHITE-WINS" -> Wins White
  | other -> Certificate.fail "no claim: %s" other

let side_name = function Black -> "BLACK" | White -> "WHITE"

(* From the claim that was verified, not from the words that were read. *)
let claim_words = function
  | Draw -> "DRAW"
  | DoesNotLose x -> side_name x ^ "-NOT-LOST"
  | Wins x -> side_name x ^ "-WINS"

let fen (e : packed) =
  let list mask =
    List.init 62 Fun.id
    |> List.filter (fun i -> mask lsr i land 1 = 1)
    |> List.map (fun i -> (if e.kings lsr i land 1 = 1 then "K" else "") ^ string_of_int (i + 1))
    |> String.concat ","
  in
  let turn = match e.to_move with Black -> "B" | White -> "W" in
  Printf.sprintf "%s:W%s:B%s" turn (list e.white) (list e.black)

(* A cover as SPEC.md, 8.1, writes it. *)
let cover_words clauses =
  let clause (n, m) = if m = n - 1 then string_of_int n else Printf.sprintf "%d:%d" n m in
  if clauses = [] then "0" else String.concat "," (List.map clause clauses)

let game_words rows columns men_rows =
  if men_rows = (rows - 2) / 2 then Printf.sprintf "%dx%d" rows columns
  else Printf.sprintf "%dx%d/%d" rows columns men_rows

let decline word =
  Printf.printf "s DECLINED %s\n" word;
  exit 3

let evidence directory database assume_table (head : Certificate.head) claim =
  let b = board head.rows head.columns in
  let items = Certificate.read_manifest (Filename.concat directory "MANIFEST") in
  let of_number number = Certificate.question directory items number in
  let black, white =
    match claim with
    | Draw -> (of_number 0, of_number 1)
    | DoesNotLose Black -> (of_number 0, [])
    | DoesNotLose White -> ([], of_number 1)
    | Wins Black -> (of_number 2, [])
    | Wins White -> ([], of_number 3)
  in
  let squares = int_of_nat (length (squares b)) in
  let cover = List.map (fun (n, m) -> (Certificate.nat n, Certificate.nat m)) head.pieces in
  let table, depth =
    if head.pieces = [] then ((fun _ -> Drawn), fun _ -> 0)
    else begin
      let last_row = (head.columns + ((head.rows - 1) land 1)) / 2 in
      let folder = Printf.sprintf "%dx%d.tables" head.rows head.columns in
      let men = squares - last_row in
      let tables =
        Tables.open_tables (Filename.concat database folder) ~squares ~men ~cover:head.pieces
      in
      let depth =
        match claim with
        | Wins _ when not assume_table -> Depths.of_tables (make_geometry b) head.pieces tables
        | _ -> fun _ -> 0
      in
      (Tables.value tables, depth)
    end
  in
  { of_board = b; cover; table; depth; nodes = (function Black -> black | White -> white) }

(* All shards of a check, each in a process of its own; the theorem on shards joins them. *)
let check_in_processes jobs evidence start claim =
  let start_process shard =
    match Unix.fork () with
    | 0 ->
      let accepted = try check_shard shard jobs evidence start claim with _ -> Unix._exit 4 in
      Unix._exit (if accepted then 0 else 1)
    | process -> process
  in
  let accepts process =
    match snd (Unix.waitpid [] process) with
    | Unix.WEXITED 0 -> true
    | Unix.WEXITED 1 -> false
    | _ -> Certificate.fail "a shard could not be checked"
  in
  let processes = List.map start_process (List.init jobs Fun.id) in
  List.for_all Fun.id (List.map accepts processes)

(* What is checked of a certificate, and how. *)
type extent = Whole of int  (** in so many processes *) | Shard of int * int | But_table

let check_certificate directory database extent =
  let head = Certificate.read_claim (Filename.concat directory "CLAIM") in
  let claim = claim_of head.claimed in
  let evidence =
    try evidence directory database (extent = But_table) head claim
    with Certificate.Assumed -> decline "assumed"
  in
  let accepted, words =
    match extent with
    | Shard (k, n) ->
      (check_shard k n evidence head.start claim, Printf.sprintf "VERIFIED SHARD %d/%d" k n)
    | Whole 1 -> (check evidence head.start claim, "VERIFIED")
    | Whole jobs -> (check_in_processes jobs evidence head.start claim, "VERIFIED")
    (* Without a table nothing is assumed. *)
    | But_table when head.pieces = [] -> (check evidence head.start claim, "VERIFIED")
    | But_table -> (check_proof evidence head.start claim, "CONDITIONAL")
  in
  let initial = start_of evidence.of_board (Certificate.nat head.men_rows) in
  let start = if head.start = initial then "initial" else fen head.start in
  if accepted then begin
    Printf.printf "s %s %s %s start=%s db=%s pieces=%s\n" words (claim_words claim)
      (game_words head.rows head.columns head.men_rows) start
      (match (head.pieces, extent, claim) with
       | [], _, _ -> "none"
       | _, But_table, _ -> "assumed"
       | _, _, Wins _ -> "settled"
       | _ -> "consistent")
      (cover_words head.pieces);
    if words = "CONDITIONAL" then exit 2
  end
  else begin
    print_endline "s REFUTED";
    exit 1
  end

let shard_of_text text =
  match Scanf.sscanf text "%d/%d%!" (fun k n -> (k, n)) with
  | k, n when 0 <= k && k < n -> (k, n)
  | _ | (exception (Scanf.Scan_failure _ | Failure _ | End_of_file)) ->
    Certificate.fail "expected a shard K/N with K from 0 and less than N, found %s" text

let read_board text = Scanf.sscanf text "%dx%d%!" (fun r c -> (r, c))

let print_perft game depth =
  let rows, columns = read_board game in
  let b = board rows columns in
  let geometry = make_geometry b and start = start_of b (Certificate.nat ((rows - 2) / 2)) in
  for d = 1 to depth do
    Printf.printf "%d %d\n%!" d (perft geometry (Certificate.nat d) start)
  done

(* For each position of standard input a line with its successors in order, so that other programs
   can compare theirs. *)
let print_successors game =
  let rows, columns = read_board game in
  let geometry = make_geometry (board rows columns) in
  let print line =
    let next = ordered (successors geometry (Certificate.read_fen line)) in
    print_endline (String.concat " " (List.map fen next))
  in
  let rec lines () =
    match input_line stdin with
    | line -> print line; lines ()
    | exception End_of_file -> ()
  in
  lines ()

let () =
  let rec options directory database extent = function
    | "--db" :: value :: rest -> options directory value extent rest
    | "--jobs" :: value :: rest when extent <> But_table ->
      options directory database (Whole (max 1 (int_of_string value))) rest
    | "--shard" :: value :: rest when extent = Whole 1 ->
      let k, n = shard_of_text value in
      options directory database (Shard (k, n)) rest
    | "--assume-table" :: rest when extent = Whole 1 -> options directory database But_table rest
    | value :: rest when directory = None && value <> "" && value.[0] <> '-' ->
      options (Some value) database extent rest
    | [] ->
      (match directory with
       | Some found -> check_certificate found database extent
       | None -> usage ())
    | _ -> usage ()
  in
  try
    match List.tl (Array.to_list Sys.argv) with
    | [ "perft"; game; depth ] -> print_perft game (int_of_string depth)
    | [ "successors"; game ] -> print_successors game
    | arguments -> options None "egdb" (Whole 1) arguments
  with
  | Certificate.Unreadable text | Sys_error text | Failure text ->
    (* Escaped: what a file says must not look like a verdict on a terminal. *)
    Printf.printf "s ERROR %s\n" (String.escaped text);
    exit 4
  | Invalid_argument _ | Stack_overflow | End_of_file | Scanf.Scan_failure _ | Unix.Unix_error _
  | Not_found ->
    print_endline "s ERROR the files cannot be read";
    exit 4
