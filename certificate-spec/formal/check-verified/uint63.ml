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
