(* BLAKE3, for the root of a certificate and for what binds the shards of a check to each other. No
   theorem rests on it. `blake3_test.ml` has known values. *)

let word = 0xffffffff

let initial =
  [| 0x6a09e667; 0xbb67ae85; 0x3c6ef372; 0xa54ff53a; 0x510e527f; 0x9b05688c; 0x1f83d9ab;
     0x5be0cd19 |]

let permutation = [| 2; 6; 3; 10; 7; 0; 4; 13; 1; 11; 12; 5; 9; 14; 15; 8 |]

(* Flags of a block. *)
let chunk_start = 1
let chunk_end = 2
let parent = 4
let root = 8
let key_context = 32
let key_material = 64

(* Which words of a block each of seven rounds takes, in order. *)
let schedule =
  let rounds = Array.make 7 (Array.init 16 Fun.id) in
  for round = 1 to 6 do
    rounds.(round) <- Array.map (fun i -> rounds.(round - 1).(i)) permutation
  done;
  rounds

let rotate x n = (x lsr n) lor (x lsl (32 - n)) land word

let mix (v : int array) a b c d x y =
  v.(a) <- (v.(a) + v.(b) + x) land word;
  v.(d) <- rotate (v.(d) lxor v.(a)) 16;
  v.(c) <- (v.(c) + v.(d)) land word;
  v.(b) <- rotate (v.(b) lxor v.(c)) 12;
  v.(a) <- (v.(a) + v.(b) + y) land word;
  v.(d) <- rotate (v.(d) lxor v.(a)) 8;
  v.(c) <- (v.(c) + v.(d)) land word;
  v.(b) <- rotate (v.(b) lxor v.(c)) 7

(* The chaining value after a block of so many bytes, in 16 words. *)
let compress chaining (block : int array) counter length flags =
  let state = [| initial.(0); initial.(1); initial.(2); initial.(3); counter land word;
                 counter lsr 32; length; flags |] in
  let v = Array.append chaining state in
  for round = 0 to 6 do
    let order = schedule.(round) in
    let m i = block.(order.(i)) in
    mix v 0 4 8 12 (m 0) (m 1);
    mix v 1 5 9 13 (m 2) (m 3);
    mix v 2 6 10 14 (m 4) (m 5);
    mix v 3 7 11 15 (m 6) (m 7);
    mix v 0 5 10 15 (m 8) (m 9);
    mix v 1 6 11 12 (m 10) (m 11);
    mix v 2 7 8 13 (m 12) (m 13);
    mix v 3 4 9 14 (m 14) (m 15)
  done;
  Array.init 8 (fun i -> v.(i) lxor v.(i + 8))

(* So many bytes, each given by its number. *)
type source = { length : int; byte : int -> int }

(* The chaining value of a chunk: of at most 1024 bytes from [first] on. *)
let chunk key source flags first length =
  let block = Array.make 16 0 in
  let rec blocks value at =
    let here = min 64 (length - at) in
    for i = 0 to 15 do
      let byte j =
        let k = (4 * i) + j in
        if k < here then source.byte (first + at + k) lsl (8 * j) else 0
      in
      block.(i) <- byte 0 lor byte 1 lor byte 2 lor byte 3
    done;
    let is_last = at + here = length in
    let flags =
      flags land lnot root
      lor (if at = 0 then chunk_start else 0)
      lor (if is_last then chunk_end lor (flags land root) else 0)
    in
    let value = compress value block (first / 1024) here flags in
    if is_last then value else blocks value (at + here)
  in
  blocks key 0

(* The chaining value of the tree over the bytes from [first] on. *)
let rec tree key source flags first length =
  if length <= 1024 then chunk key source flags first length
  else begin
    let rec left n = if 2 * n < length then left (2 * n) else n in
    let left = left 1024 and inner = flags land lnot root in
    let a = tree key source inner first left in
    let b = tree key source inner (first + left) (length - left) in
    compress key (Array.append a b) 0 64 (flags lor parent)
  end

let of_string text = { length = String.length text; byte = (fun i -> Char.code text.[i]) }

(* Eight words as 32 bytes. *)
let bytes words =
  let all = Bytes.create 32 in
  Array.iteri (fun i w -> Bytes.set_int32_le all (4 * i) (Int32.of_int w)) words;
  Bytes.to_string all

let digest_of source = bytes (tree initial source root 0 source.length)
let digest text = digest_of (of_string text)

let derive_key context text =
  let hash key flags text =
    let source = of_string text in
    tree key source (root lor flags) 0 source.length
  in
  bytes (hash (hash initial key_context context) key_material text)

let hexadecimal digest =
  let digits c = Printf.sprintf "%02x" (Char.code c) in
  String.concat "" (List.map digits (List.of_seq (String.to_seq digest)))
