(* The operations of Coq's primitive integers that the extracted program uses, with the names that
   ExtrOCamlInt63 gives them: numbers modulo 2^63, without a sign. *)

type t = int

let of_int (x : int) : t = x
let add x y = x + y
let sub x y = x - y
let mul x y = x * y
let l_and x y = x land y
let l_or x y = x lor y
let l_xor x y = x lxor y
let l_sl x y = if 0 <= y && y < 63 then x lsl y else 0
let l_sr x y = if 0 <= y && y < 63 then x lsr y else 0
let equal (x : int) y = x = y
let lt (x : int) y = x lxor min_int < y lxor min_int

(* The number of zeros below the lowest bit; 63 of 0. *)
let tail0 x =
  let rec from x n = if x land 1 <> 0 then n else from (x lsr 1) (n + 1) in
  if x = 0 then 63 else from x 0

let rem x y =
  let wide z = Int64.logand (Int64.of_int z) Int64.max_int in
  if y = 0 then x else Int64.to_int (Int64.rem (wide x) (wide y))
