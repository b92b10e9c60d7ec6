(* Values of positions from the tables that `prove db map` makes. Nothing here is trusted:
   whatever it says is verified position by position. *)

open Verified
open Files

type bytes_of_file = (int, Bigarray.int8_unsigned_elt, Bigarray.c_layout) Bigarray.Array1.t

(* Of each half of a set of squares its rank, with the number of its squares from bit 40 on: of the
   half that is counted first, and of the other by the number of squares before. *)
type halves = { first : int array; second : int array array }
type ranks = { half : int; of_black : halves; of_white : halves }

(* The values of a slice, how many sets of the other's men there are, of its kings, and of the kings
   of the side to move. *)
type slice = { values : bytes_of_file; their_men : int; their_kings : int; kings : int }
type t = { squares : int; men : int; most : int; ranks : ranks; slices : slice option array }

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

let rec count set = if set = 0 then 0 else 1 + count (set land (set - 1))

(* The number of a mask of one bit. *)
let bit_number =
  (* The top five of 32 bits of the product are different for each of 32 masks. *)
  let number bit = ((bit * 0x077cb531) land 0xffffffff) lsr 27 in
  let numbers = Array.make 32 0 in
  for i = 0 to 31 do numbers.(number (1 lsl i)) <- i done;
  fun bit -> numbers.(number bit)

(* SPEC.md, 8.2: the rank of a set of squares that are counted from Black's end, and from White's, is
   a sum over its squares. The last square to be counted has the number of all squares as its own.
   [before] squares are counted before those of the set; [last] is the last one of a set, and
   [square] its distance from the end where the count begins. *)
let table_of half ~last ~square before =
  let ranks = Array.make (1 lsl half) 0 in
  for set = 1 to (1 lsl half) - 1 do
    let bit = last set in
    let distance = square (bit_number bit) and own_number = before + count set in
    let own = if distance < 0 || own_number > 32 then 0 else choose.(distance).(own_number) in
    ranks.(set) <- ranks.(set lxor bit) + own + (1 lsl 40)
  done;
  ranks

let make_ranks squares most =
  let half = (squares + 1) / 2 in
  let rec highest set = if set land (set - 1) = 0 then set else highest (set land (set - 1)) in
  let lowest set = set land -set in
  let of_black first = table_of half ~last:highest ~square:(fun i -> first + i) in
  let of_white first = table_of half ~last:lowest ~square:(fun i -> squares - 1 - first - i) in
  { half;
    of_black = { first = of_black 0 0; second = Array.init most (of_black half) };
    of_white = { first = of_white half 0; second = Array.init most (of_white 0) } }

(* The rank of a set whose halves these are, with the number of its squares from bit 40 on. *)
let rank_of { first; second } earlier later =
  let before = Array.unsafe_get first earlier in
  before + Array.unsafe_get second.(before lsr 40) later

let rank_of_black { half; of_black; _ } set =
  rank_of of_black (set land ((1 lsl half) - 1)) (set lsr half)

let rank_of_white { half; of_white; _ } set =
  rank_of of_white (set lsr half) (set land ((1 lsl half) - 1))

let place most a b c d = ((((a * most) + b) * most + c) * most) + d

(* The bytes before the values in the file of a table. *)
let head = 4096

(* The bytes of the values, of 64 indices in 16: eight of wins and eight of losses. *)
let size_of indices = (indices + 63) / 64 * 16

(* The values of so many indices, from the file of a table. *)
let map_file path indices =
  with_file path (fun file size ->
    let values = size_of indices in
    if size < head + values then fail "%s: %d bytes are no table of %d indices" path size indices;
    let kind = Bigarray.int8_unsigned and pos = Int64.of_int head in
    let map = Unix.map_file file ~pos kind Bigarray.c_layout false [| values |] in
    Bigarray.array1_of_genarray map)

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
  let sets = [ (tables.men, a); (tables.men, c); (tables.squares, d); (tables.squares, b) ] in
  let product total (n, k) =
    let sets = choose.(n).(k) in
    (* More are in no file. *)
    if sets > 0 && total > (1 lsl 56) / sets then fail "a slice has too many indices";
    total * sets
  in
  List.fold_left product 1 sets

let name ((a, b), (c, d)) = Printf.sprintf "%d-%d-%d-%d" a b c d
let number tables ((a, b), (c, d)) = place tables.most a b c d

(* The slices that have an index, in the order of SPEC.md, 8.1. *)
let slices tables cover = List.filter (fun slice -> indices tables slice > 0) (slices_of cover)

(* The file of a slice has its name, a dot, and a key that means nothing here. *)
let open_tables directory ~squares ~men ~cover =
  let pieces = List.fold_left (fun most (n, _) -> max most n) 0 cover in
  let most = pieces + 1 in
  let ranks = make_ranks squares most in
  let tables = { squares; men; most; ranks; slices = Array.make (most * most * most * most) None } in
  let files = Hashtbl.create 64 in
  let add file =
    match String.index_opt file '.' with
    | Some dot -> Hashtbl.replace files (String.sub file 0 dot) file
    | None -> ()
  in
  let found = Sys.readdir directory in
  Array.sort compare found;
  Array.iter add found;
  let need slice =
    match Hashtbl.find_opt files (name slice) with
    | None -> fail "%s: no table of the slice %s" directory (name slice)
    | Some file ->
      let values = map_file (Filename.concat directory file) (indices tables slice) in
      let (_, b), (c, d) = slice in
      let their_men = choose.(men).(c) and their_kings = choose.(squares).(d) in
      let slice_of_file = { values; their_men; their_kings; kings = choose.(squares).(b) } in
      tables.slices.(number tables slice) <- Some slice_of_file
  in
  List.iter need (slices tables cover);
  tables

(* SPEC.md, 11: what is told of the values of a slice. *)
let digest (table : bytes_of_file) =
  let length = Bigarray.Array1.dim table / 2 and most = 65536 in
  let digests offset =
    let piece k =
      let byte i =
        let i = (k * most) + i in
        table.{(i / 8 * 16) + offset + (i land 7)}
      in
      Blake3.digest_of { length = Stdlib.min most (length - (k * most)); byte }
    in
    String.concat "" (List.init ((length + most - 1) / most) piece)
  in
  Blake3.digest (digests 0 ^ digests 8)

(* A slice and its twin, each once and next to each other, in the order of SPEC.md, 11. *)
let paired slices =
  let pair ((mine, theirs) as slice) =
    if mine = theirs then [ slice ]
    else if compare mine theirs > 0 then [ slice; (theirs, mine) ]
    else []
  in
  List.concat_map pair slices

(* One digest for all values: the field `given-tables` of a shard that `check` makes and that
   verifies none of them. *)
let digest_of_all tables cover =
  let line slice =
    let { values; _ } = Option.get tables.slices.(number tables slice) in
    Printf.sprintf "%s %s\n" (name slice) (Blake3.hexadecimal (digest values))
  in
  Blake3.digest (String.concat "" (List.map line (paired (slices tables cover))))

(* The number of a position's slice, and its index there: those of its twin are the same. *)
let locate tables (e : packed) =
  let ranks = tables.ranks and rank x = x land ((1 lsl 40) - 1) and number x = x lsr 40 in
  let black_men = rank_of_black ranks (e.black land lnot e.kings) in
  let black_kings = rank_of_black ranks (e.black land e.kings) in
  let white_men = rank_of_white ranks (e.white land lnot e.kings) in
  let white_kings = rank_of_white ranks (e.white land e.kings) in
  let men, kings, their_men, their_kings =
    if e.to_move = Black then (black_men, black_kings, white_men, white_kings)
    else (white_men, white_kings, black_men, black_kings)
  in
  let slice =
    place tables.most (number men) (number kings) (number their_men) (number their_kings)
  in
  match tables.slices.(slice) with
  | None -> (slice, 0)
  | Some s ->
    let blocks = (rank men * s.their_men) + rank their_men in
    (slice, (((blocks * s.their_kings) + rank their_kings) * s.kings) + rank kings)

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
  | Some { values; _ } ->
    let at = ((index lsr 6) lsl 4) lor ((index lsr 3) land 7) and bit = index land 7 in
    if (values.{at} lsr bit) land 1 = 1 then Won
    else if (values.{at + 8} lsr bit) land 1 = 1 then Lost
    else Drawn

let value tables e =
  let slice, index = locate tables e in
  value_at tables slice index
