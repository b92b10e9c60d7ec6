(* Depths of wins and losses, which a claim of a win needs beside the values: in how many rounds
   they follow from each other. Nothing here is trusted: the check asks that depths fall from each
   to the next. *)

open Verified

(* All positions of the cover that are won or lost, by a loop of the extracted program. *)
let decided g cover table =
  let found = ref [] in
  let add e =
    if covered g cover e && table e <> Drawn then found := e :: !found;
    true
  in
  List.iter (fun clause -> ignore (each_position g (fun _ -> true) add clause)) cover;
  !found

let has_no_piece (e : packed) = (match e.to_move with Black -> e.black | White -> e.white) = 0

(* A function that is only right where values are: it takes time for every position of the cover. *)
let of_table g cover table =
  let depths = Hashtbl.create 65536 in
  let follows e =
    let lost y = has_no_piece y || (table y = Lost && Hashtbl.mem depths y) in
    let won y = (not (has_no_piece y)) && table y = Won && Hashtbl.mem depths y in
    match table e with
    | Won -> List.exists lost (successors g e)
    | Lost -> List.for_all won (successors g e)
    | Drawn -> false
  in
  let rec rounds n left =
    let now, later = List.partition follows left in
    List.iter (fun e -> Hashtbl.replace depths e n) now;
    if now <> [] then rounds (n + 1) later
  in
  rounds 1 (decided g cover table);
  fun e -> Option.value (Hashtbl.find_opt depths e) ~default:0
