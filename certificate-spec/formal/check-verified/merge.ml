(* Joins what the shards of a check have printed in separate runs, each to a file. That such lines
   are a whole check is the theorem merged_means of Lines.v; that each comes of a run of this program
   must be known otherwise: nothing is signed. *)

open Verified
open Files

(* A line with its file. *)
type found = { file : string; line : string partial }

(* The shard's line in what a run has printed. *)
let read file =
  let bytes, size = read_start file 65536 in
  if size > 65536 then fail "%s: too long for what a shard prints" file;
  let begins_with_s line = String.length line > 1 && String.sub line 0 2 = "s " in
  match List.filter begins_with_s (String.split_on_char '\n' bytes) with
  | [ line ] -> (
    match String.split_on_char ' ' line with
    | "s" :: "VERIFIED" :: "SHARD" :: number :: rest -> (
      match Claim.numbers '/' number with
      | [ shard; shards ] when shard < shards && Printf.sprintf "%d/%d" shard shards = number ->
        { file; line = { shard; shards; said = Output.escaped (String.concat " " rest) } }
      | _ | (exception Unreadable _) -> fail "%s: no shard K/N: %s" file number)
    | _ -> fail "%s: expected s VERIFIED SHARD, found %s" file line)
  | lines -> fail "%s: expected one line that begins with s, found %d" file (List.length lines)

(* All shards once, in their order. A shard that two runs have checked counts once. *)
let in_order found =
  let of_shard a b = compare (a.line.shard, a.line) (b.line.shard, b.line) in
  List.sort_uniq of_shard found

(* Why lines cannot be joined: which differs from the first, what is missing, or that the first says
   nothing of a game. *)
let explain first found =
  let differs f = f.line.shards <> first.line.shards || f.line.said <> first.line.said in
  (match List.find_opt differs found with
   | Some other -> fail "%s and %s are not of the same check" first.file other.file
   | None -> ());
  let rec first_missing k = function
    | f :: later when f.line.shard = k -> first_missing (k + 1) later
    | _ -> k
  in
  let missing = first_missing 0 found in
  if missing < first.line.shards then fail "shard %d/%d is missing" missing first.line.shards;
  fail "%s: no statement: %s" first.file first.line.said

(* The line of the whole check. Anybody can write the line of a shard, so its status is that of what
   rests on notes without a signature, and never 0: SPEC.md, 12. *)
let run files =
  let found = in_order (List.map read files) in
  match merged (string_of_int (List.length found)) (List.map (fun f -> f.line) found) with
  | Some line -> (5, line)
  | None -> explain (List.hd found) found
