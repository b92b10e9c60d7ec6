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

(* All slices of a cover, each with its numbers of men and kings, so that no move leads to one that
   comes later, other than from a slice to its twin. *)
let slices_of cover =
  let most = List.fold_left (fun most (n, _) -> max most n) 0 cover in
  let numbers = List.init (most + 1) Fun.id in
  let sides = List.concat_map (fun men -> List.map (fun kings -> (men, kings)) numbers) numbers in
  let is_side (men, kings) = men + kings > 0 && List.exists (fun (_, m) -> men + kings <= m) cover in
  let sides = List.filter is_side sides in
  let is_covered ((a, b), (c, d)) =
    List.exists (fun (n, m) -> a + b + c + d <= n && a + b <= m && c + d <= m) cover
  in
  let order ((a, b), (c, d)) = (a + b + c + d, a + c) in
  List.concat_map (fun mine -> List.map (fun theirs -> (mine, theirs)) sides) sides
  |> List.filter is_covered
  |> List.stable_sort (fun s s' -> compare (order s) (order s'))

(* How many indices a slice has, of so many men and kings of the side to move and of the other. *)
let indices tables ((a, b), (c, d)) =
  choose.(tables.men).(a) * choose.(tables.men).(c) * choose.(tables.squares).(d)
  * choose.(tables.squares).(b)

let open_tables directory ~squares ~men ~cover =
  let pieces = List.fold_left (fun most (n, _) -> max most n) 0 cover in
  let most = pieces + 1 in
  let slices = Array.make (most * most * most * most) None in
  Array.iter
    (fun name ->
      match scan name "%d-%d-%d-%d." (fun a b c d -> (a, b, c, d)) with
      | Some (a, b, c, d) when a + b + c + d <= pieces ->
        slices.(place most a b c d) <- Some (map_file directory name)
      | _ -> ())
    (Sys.readdir directory);
  let tables = { squares; men; most; slices } in
  let need (((a, b), (c, d)) as slice) =
    if indices tables slice > 0 && slices.(place most a b c d) = None then
      failwith (Printf.sprintf "%s: no table of the slice %d-%d-%d-%d" directory a b c d)
  in
  List.iter need (slices_of cover);
  tables

let head = 4096

(* The slice of a position, and its index there: those of its twin are the same. *)
let locate tables (e : packed) =
  let s = tables.squares in
  let mine, theirs, rank_mine, rank_theirs =
    match e.to_move with
    | Black -> (e.black, e.white, rank_of_black, rank_of_white s)
    | White -> (e.white, e.black, rank_of_white s, rank_of_black)
  in
  let men = mine land lnot e.kings and kings = mine land e.kings in
  let their_men = theirs land lnot e.kings and their_kings = theirs land e.kings in
  let b = count kings and c = count their_men and d = count their_kings in
  let blocks = (rank_mine men * choose.(tables.men).(c)) + rank_theirs their_men in
  let rows = (blocks * choose.(s).(d)) + rank_theirs their_kings in
  (place tables.most (count men) b c d, (rows * choose.(s).(b)) + rank_mine kings)

(* The set of [k] squares of a rank, as Black counts them. *)
let rec set_of_rank k rank =
  if k = 0 then 0
  else begin
    let rec last x = if choose.(x + 1).(k) <= rank then last (x + 1) else x in
    let x = last (k - 1) in
    (1 lsl x) lor set_of_rank (k - 1) (rank - choose.(x).(k))
  end

(* The position of an index with Black to move, if there is one. *)
let position tables ((a, b), (c, d)) index =
  let s = tables.squares in
  let seen_by_white set =
    let rec turn set = if set = 0 then 0
      else (1 lsl (s - 1 - bit_number (set land -set))) lor turn (set land (set - 1)) in
    turn set
  in
  let kings_a_side = choose.(s).(b) in
  let rows = index / kings_a_side in
  let blocks = rows / choose.(s).(d) and all_men = choose.(tables.men).(c) in
  let men = set_of_rank a (blocks / all_men) and kings = set_of_rank b (index mod kings_a_side) in
  let their_men = seen_by_white (set_of_rank c (blocks mod all_men)) in
  let their_kings = seen_by_white (set_of_rank d (rows mod choose.(s).(d))) in
  let all = men lor kings lor their_men lor their_kings in
  if count all < a + b + c + d then None
  else
    Some { black = men lor kings; white = their_men lor their_kings; kings = kings lor their_kings;
           to_move = Black }

let value_at tables slice index =
  match tables.slices.(slice) with
  | None -> Drawn
  | Some bytes ->
    let at = head + (index / 64 * 16) + (index land 63 / 8) and bit = index land 7 in
    if (bytes.{at} lsr bit) land 1 = 1 then Won
    else if (bytes.{at + 8} lsr bit) land 1 = 1 then Lost
    else Drawn

let value tables e =
  let slice, index = locate tables e in
  value_at tables slice index
