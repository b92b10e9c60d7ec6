(* Values of positions from the tables that `prove db --map` makes. Nothing here is trusted:
   whatever it says is verified position by position. *)

open Verified

type bytes_of_file = (int, Bigarray.int8_unsigned_elt, Bigarray.c_layout) Bigarray.Array1.t

type t = { squares : int; men : int; most : int; slices : bytes_of_file option array }

(* Binomial coefficients. *)
let choose =
  let rows = Array.make_matrix 64 33 0 in
  for n = 0 to 63 do
    rows.(n).(0) <- 1;
    for k = 1 to Stdlib.min n 32 do
      rows.(n).(k) <- rows.(n - 1).(k - 1) + (if k < n then rows.(n - 1).(k) else 0)
    done
  done;
  rows

let rec count mask = if mask = 0 then 0 else 1 + count (mask land (mask - 1))

(* The number of a mask of one bit. *)
let bit_number =
  let numbers = Array.make 67 0 in
  for i = 0 to 61 do numbers.((1 lsl i) mod 67) <- i done;
  fun bit -> numbers.(bit mod 67)

(* SPEC.md, 8.2: the rank of a set of squares that are counted from Black's end, and from
   White's. *)
let rank_of_black mask =
  let rec sum mask k total =
    if mask = 0 then total
    else sum (mask land (mask - 1)) (k + 1) (total + choose.(bit_number (mask land -mask)).(k))
  in
  sum mask 1 0

let rank_of_white squares mask =
  let rec sum mask k total =
    if mask = 0 then total
    else sum (mask land (mask - 1)) (k - 1)
      (total + choose.(squares - 1 - bit_number (mask land -mask)).(k))
  in
  sum mask (count mask) 0

let place most a b c d = ((((a * most) + b) * most + c) * most) + d

(* The file of a slice: its name, a dot, and a key that means nothing here. *)
let map_file directory name =
  let file = Unix.openfile (Filename.concat directory name) [ Unix.O_RDONLY ] 0 in
  let map = Unix.map_file file Bigarray.int8_unsigned Bigarray.c_layout false [| -1 |] in
  Unix.close file;
  Bigarray.array1_of_genarray map

let scan text format make =
  try Some (Scanf.sscanf text format make)
  with Scanf.Scan_failure _ | Failure _ | End_of_file -> None

let open_tables directory ~squares ~men ~pieces =
  let most = pieces + 1 in
  let slices = Array.make (most * most * most * most) None in
  Array.iter
    (fun name ->
      match scan name "%d-%d-%d-%d." (fun a b c d -> (a, b, c, d)) with
      | Some (a, b, c, d) when a + b + c + d <= pieces ->
        slices.(place most a b c d) <- Some (map_file directory name)
      | _ -> ())
    (Sys.readdir directory);
  { squares; men; most; slices }

let head = 4096

let value tables (e : packed) =
  let s = tables.squares in
  let mine, theirs, rank_mine, rank_theirs =
    match e.to_move with
    | Black -> (e.black, e.white, rank_of_black, rank_of_white s)
    | White -> (e.white, e.black, rank_of_white s, rank_of_black)
  in
  let men = mine land lnot e.kings and kings = mine land e.kings in
  let their_men = theirs land lnot e.kings and their_kings = theirs land e.kings in
  let b = count kings and c = count their_men and d = count their_kings in
  match tables.slices.(place tables.most (count men) b c d) with
  | None -> Drawn
  | Some bytes ->
    let blocks = (rank_mine men * choose.(tables.men).(c)) + rank_theirs their_men in
    let rows = (blocks * choose.(s).(d)) + rank_theirs their_kings in
    let index = (rows * choose.(s).(b)) + rank_mine kings in
    let at = head + (index / 64 * 16) + (index land 63 / 8) and bit = index land 7 in
    if (bytes.{at} lsr bit) land 1 = 1 then Won
    else if (bytes.{at + 8} lsr bit) land 1 = 1 then Lost
    else Drawn
