(* Depths of wins and losses, which a claim of a win needs beside the values. Nothing here is
   trusted: the check asks that depths fall from each to the next.

   They are found by retrograde analysis, a slice and its twin at a time, after all slices that a
   capture or a crowning leads to; a slice begins with more than any depth before it. So they are
   larger than the plies that a win takes, and fall all the same. *)

open Verified

type t = (int32, Bigarray.int32_elt, Bigarray.c_layout) Bigarray.Array1.t

(* Lists of numbers, one for each of [n] places, with all their items in two arrays. *)
module Lists = struct
  type t = { first : int array; mutable items : int array; mutable next : int array; mutable used : int }

  let make n = { first = Array.make n (-1); items = Array.make 1024 0; next = Array.make 1024 0; used = 0 }

  let grown old = Array.append old (Array.make (Array.length old) 0)

  let add lists at item =
    if lists.used = Array.length lists.items then begin
      lists.items <- grown lists.items;
      lists.next <- grown lists.next
    end;
    lists.items.(lists.used) <- item;
    lists.next.(lists.used) <- lists.first.(at);
    lists.first.(at) <- lists.used;
    lists.used <- lists.used + 1

  let iter f lists at =
    let rec from i = if i >= 0 then begin f lists.items.(i); from lists.next.(i) end in
    from lists.first.(at)
end

let has_no_piece (e : packed) = (match e.to_move with Black -> e.black | White -> e.white) = 0

(* Depths of the positions of a slice and its twin that are won or lost, from [base] on; those of
   other slices are in [depths]. Returns the largest. *)
let solve g tables (depths : t option array) base ((mine, theirs) as slice) =
  let place ((a, b), (c, d)) = Tables.place tables.Tables.most a b c d in
  let twin = (theirs, mine) in
  let here = place slice and there = place twin in
  let size = Tables.indices tables slice in
  let both = if here = there then size else 2 * size in
  (* Positions of both as numbers. *)
  let number slice index = if slice = here then index else size + index in
  let waits = Array.make both 0 and is_lost = Bytes.make both '\000' and before = Lists.make both in
  let now = ref [] in
  let found = Array.init both (fun _ -> 0) in
  let settle depth n =
    if found.(n) = 0 then begin
      found.(n) <- depth;
      now := n :: !now
    end
  in
  let depth_at slice index =
    match depths.(slice) with None -> 0 | Some depths -> Int32.to_int depths.{index}
  in
  let add slice numbers index =
    let value = Tables.value_at tables slice index in
    match if value = Drawn then None else Tables.position tables numbers index with
    | None -> ()
    | Some e ->
      let n = number slice index in
      let is_here slice = slice = here || slice = there in
      let judge y =
        if has_no_piece y then `Settled Lost
        else
          let s, i = Tables.locate tables y in
          let v = Tables.value_at tables s i in
          if is_here s then `Here (v, number s i)
          else if depth_at s i > 0 then `Settled v
          else `Other
      in
      let next = List.map judge (successors g e) in
      if value = Won then begin
        if List.mem (`Settled Lost) next then settle (base + 1) n
        else List.iter (function `Here (Lost, m) -> Lists.add before m n | _ -> ()) next
      end
      else begin
        let good = function `Settled Won | `Here (Won, _) -> true | _ -> false in
        if List.for_all good next then begin
          Bytes.set is_lost n '\001';
          let wait = function
            | `Here (_, m) -> Lists.add before m n; waits.(n) <- waits.(n) + 1
            | _ -> ()
          in
          List.iter wait next;
          if waits.(n) = 0 then settle (base + 1) n
        end
      end
  in
  for index = 0 to size - 1 do
    add here slice index;
    if here <> there then add there twin index
  done;
  let rec rounds depth =
    let settled = !now in
    now := [];
    let follow n =
      if Bytes.get is_lost n = '\001' then begin
        waits.(n) <- waits.(n) - 1;
        if waits.(n) = 0 then settle (depth + 1) n
      end
      else settle (depth + 1) n
    in
    List.iter (Lists.iter follow before) settled;
    if !now = [] then depth else rounds (depth + 1)
  in
  let most = rounds (base + 1) in
  let keep slice first =
    let kept = Bigarray.(Array1.create int32 c_layout size) in
    for index = 0 to size - 1 do kept.{index} <- Int32.of_int found.(first + index) done;
    depths.(slice) <- Some kept
  in
  keep here 0;
  if here <> there then keep there size;
  most

let of_tables g cover tables =
  let depths = Array.make (Array.length tables.Tables.slices) None in
  let first (mine, theirs) = compare mine theirs <= 0 in
  let pairs = List.filter first (Tables.slices tables cover) in
  ignore (List.fold_left (solve g tables depths) 0 pairs);
  depths

let depth tables (depths : t option array) e =
  let slice, index = Tables.locate tables e in
  match depths.(slice) with None -> 0 | Some depths -> Int32.to_int depths.{index}

(* One digest for all depths, slice by slice, four bytes each. *)
let digest_of_all (depths : t option array) =
  let of_slice (depths : t) =
    let byte i = (Int32.to_int depths.{i / 4} lsr (8 * (i land 3))) land 255 in
    Blake3.digest_of { length = 4 * Bigarray.Array1.dim depths; byte }
  in
  let add all = function None -> all | Some depths -> of_slice depths :: all in
  Blake3.digest (String.concat "" (List.rev (Array.fold_left add [] depths)))
