(* check-verified CERTIFICATE [--db DIR] [--jobs N | --shard K/N | --assume-table]
   check-verified merge FILE...
   check-verified perft RxC DEPTH
   check-verified successors RxC

   Reads a certificate, and tables of a database that `prove db map` has made, and lets the
   program that was extracted from Check.v judge them: at the level consistent, or for a win by
   depths that fall. With --assume-table all but the table is judged, and the verdict is
   CONDITIONAL; with --shard a part, and merge joins what the shards have printed. *)

open Verified
open Files

(* {1 A check} *)

(* What a certificate and a database say, and what stands for tables and depths in a shard. *)
type given = { evidence : evidence; digest : unit -> string * string }

let read_evidence directory manifest database assume_table (head : Claim.t) =
  let of_number number = Certificate.question directory manifest number in
  let black, white =
    match head.claim with
    | Draw -> let black = of_number 0 in (black, of_number 1)
    | DoesNotLose Black -> (of_number 0, [])
    | DoesNotLose White -> ([], of_number 1)
    | Wins Black -> (of_number 2, [])
    | Wins White -> ([], of_number 3)
  in
  let cover = Claim.clauses_of head.pieces in
  let nodes = function Black -> black | White -> white in
  let evidence table depth = { of_board = head.board; cover; table; depth; nodes } in
  if head.pieces = [] then
    { evidence = evidence (fun _ -> Drawn) (fun _ -> 0); digest = (fun () -> ("none", "none")) }
  else begin
    let squares = Claim.int_of_nat (length (squares head.board)) in
    let last_row = (head.columns + ((head.rows - 1) land 1)) / 2 in
    let folder = Printf.sprintf "%dx%d.tables" head.rows head.columns in
    let men = squares - last_row in
    let tables =
      Tables.open_tables (Filename.concat database folder) ~squares ~men ~cover:head.pieces
    in
    let value = Tables.value tables in
    let of_tables () = Blake3.hexadecimal (Tables.digest_of_all tables head.pieces) in
    match head.claim with
    | Wins _ when not assume_table ->
      let depths = Depths.of_tables (make_geometry head.board) head.pieces tables in
      let of_depths () = Blake3.hexadecimal (Depths.digest_of_all depths) in
      { evidence = evidence value (Depths.depth tables depths);
        digest = (fun () -> (of_tables (), of_depths ())) }
    | _ -> { evidence = evidence value (fun _ -> 0); digest = (fun () -> (of_tables (), "none")) }
  end

(* Whether [accepts] is true of all shards, each in a process of its own. *)
let all_shards shards accepts =
  let start shard =
    match Unix.fork () with
    | 0 -> Unix._exit (match accepts shard with true -> 0 | false -> 1 | exception _ -> 4)
    | process -> process
  in
  let ended = List.map (fun p -> snd (Unix.waitpid [] p)) (List.init shards start) in
  let is_zero status = status = Unix.WEXITED 0 in
  if List.exists (fun status -> not (is_zero status || status = Unix.WEXITED 1)) ended then
    fail "a shard could not be checked";
  List.for_all is_zero ended

(* What a shard rests on, so that those of other files cannot be taken for shards of the same check:
   objects are bound by MANIFEST, which has their digests. *)
let shard_fields claim_bytes manifest_bytes given =
  let tables, depths = given.digest () in
  let digest text = Blake3.(hexadecimal (digest text)) in
  let lines =
    Printf.sprintf "CLAIM %s\nMANIFEST %s\ntables %s\ndepths %s\n" (digest claim_bytes)
      (digest manifest_bytes) tables depths
  in
  Printf.sprintf " tables=%s digest=%s" tables (digest lines)

let check_certificate directory database extent =
  let claim_bytes = Certificate.read_claim directory in
  let head = Claim.read claim_bytes in
  let manifest = Certificate.read_manifest directory in
  Certificate.require_claim manifest claim_bytes;
  let given = read_evidence directory manifest database (extent = But_table) head in
  let root = Blake3.hexadecimal manifest.root in
  let fields () = shard_fields claim_bytes manifest.bytes given in
  let status, line =
    verdict all_shards extent (Claim.nat head.men_rows) given.evidence head.start head.claim root
      fields
  in
  (Claim.int_of_nat status, line)

(* {1 Moves} *)

let print_perft game depth =
  let board = Claim.read_board game in
  let geometry = make_geometry board in
  let start = start_of board (Claim.nat ((Claim.int_of_nat board.rows - 2) / 2)) in
  for d = 1 to depth do
    Output.print_line (Printf.sprintf "%d %d" d (perft geometry (Claim.nat d) start))
  done;
  (0, "")

(* For each position of standard input a line with its successors in order, so that other programs
   can compare theirs. *)
let print_successors game =
  let geometry = make_geometry (Claim.read_board game) in
  let print line =
    let next = ordered (successors geometry (Claim.read_fen line)) in
    Output.print_line (String.concat " " (List.map Claim.fen next))
  in
  let rec lines () =
    match input_line stdin with
    | line -> print line; lines ()
    | exception End_of_file -> ()
  in
  lines ();
  (0, "")

(* {1 Options} *)

let usage =
  "usage: check-verified CERTIFICATE [--db DIR] [--jobs N | --shard K/N | --assume-table], or \
   check-verified merge FILE..., or check-verified perft RxC DEPTH, or check-verified successors \
   RxC"

let shard_of_text text =
  match Claim.numbers '/' text with
  | [ k; n ] when k < n && Printf.sprintf "%d/%d" k n = text -> Shard (k, n, text)
  | _ | (exception Unreadable _) ->
    fail "expected a shard K/N with K from 0 and less than N, found %s" text

let jobs_of_text text =
  match Claim.number text with
  | n when 1 <= n && n <= 256 -> Whole n
  | _ | (exception Unreadable _) -> fail "expected from 1 to 256 processes, found %s" text

(* Each option once, and one extent. *)
let rec check_with directory database extent = function
  | "--db" :: value :: rest when database = None -> check_with directory (Some value) extent rest
  | "--jobs" :: value :: rest when extent = None ->
    check_with directory database (Some (jobs_of_text value)) rest
  | "--shard" :: value :: rest when extent = None ->
    check_with directory database (Some (shard_of_text value)) rest
  | "--assume-table" :: rest when extent = None ->
    check_with directory database (Some But_table) rest
  | value :: rest when directory = None && value <> "" && value.[0] <> '-' ->
    check_with (Some value) database extent rest
  | rest ->
    match (directory, rest) with
    | Some directory, [] ->
      let database = Option.value database ~default:"egdb" in
      check_certificate directory database (Option.value extent ~default:(Whole 1))
    | _ -> fail "%s" usage

let () =
  Output.finish (fun () ->
    match List.tl (Array.to_list Sys.argv) with
    | [ "perft"; game; depth ] -> print_perft game (Claim.number depth)
    | [ "successors"; game ] -> print_successors game
    | [ "merge" ] -> fail "%s" usage
    | "merge" :: files -> Merge.run files
    | arguments -> check_with None None None arguments)
