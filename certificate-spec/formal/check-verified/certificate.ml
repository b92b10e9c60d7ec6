(* Reads the files of a certificate of format 1. No theorem is about what is here. What is read must
   be what the root stands for, and every node is judged by what it says, wherever it is from. *)

open Verified
open Files

(* {1 Binary files} *)

type cursor = { file : string; bytes : string; mutable at : int }

let left cursor = String.length cursor.bytes - cursor.at
let ends cursor = fail "%s: ends too early" cursor.file

let byte cursor =
  if left cursor < 1 then ends cursor;
  let value = Char.code cursor.bytes.[cursor.at] in
  cursor.at <- cursor.at + 1;
  value

(* A number below 2^62, in at most nine bytes; nothing has more items or bytes. *)
let varint cursor =
  let rec from shift total =
    let low = byte cursor in
    let total = total lor ((low land 127) lsl shift) in
    if total < 0 || (low > 127 && shift = 56) then fail "%s: too large a number" cursor.file;
    if low < 128 then total else from (shift + 7) total
  in
  from 0 0

let take cursor length =
  if length < 0 || length > left cursor then ends cursor;
  let text = String.sub cursor.bytes cursor.at length in
  cursor.at <- cursor.at + length;
  text

let u32 cursor at = Int32.to_int (String.get_int32_le cursor.bytes (cursor.at + at)) land 0xffffffff

let u64 cursor at =
  let value = String.get_int64_le cursor.bytes (cursor.at + at) in
  if value < 0L || value > Int64.of_int max_int then fail "%s: too large a number" cursor.file;
  Int64.to_int value

(* A cursor after the head of a file. *)
let open_bytes file magic bytes =
  let cursor = { file; bytes; at = 0 } in
  if take cursor 8 <> magic then fail "%s: not a file of its kind" file;
  if take cursor 4 <> "\001\000\000\000" then raise (Declined ("version file=" ^ file));
  cursor

(* {1 MANIFEST} *)

type item_object = {
  kind : int;
  question : int;
  first : int;
  count : int;
  length : int;
  digest : string;
}

type manifest = { bytes : string; root : string; sealed : int * string; objects : item_object list }

let magic = "DPCERT\000\000"

(* The length and the digest of CLAIM, and how many objects there are. *)
let manifest_head cursor =
  let length = varint cursor in
  let digest = take cursor 32 in
  let objects = varint cursor in
  ((length, digest), objects)

(* Each has the kind, question and first number that are due after the one before. *)
let require_order objects =
  let rec from (kind, question, first) = function
    | [] -> ()
    | o :: rest ->
      let due =
        if (o.kind, o.question) = (kind, question) then first
        else if compare (o.kind, o.question) (kind, question) > 0 then 0
        else -1
      in
      if o.first <> due || o.count < 1 || o.kind > 2 || o.question > 3 then
        fail "MANIFEST: an object that is not the one due";
      from (o.kind, o.question, o.first + o.count) rest
  in
  from (-1, 0, 0) objects

let read_manifest directory =
  let path = Filename.concat directory "MANIFEST" in
  let start, size = read_start path 256 in
  let cursor = open_bytes "MANIFEST" magic start in
  let _, n = manifest_head cursor in
  if n > 1 lsl 20 || size < cursor.at + (37 * n) || size > cursor.at + (64 * n) then
    fail "MANIFEST: %d bytes cannot be of %d objects" size n;
  let bytes = read_whole path size in
  let cursor = open_bytes "MANIFEST" magic bytes in
  let sealed, n = manifest_head cursor in
  let read_object _ =
    let kind = varint cursor in
    let question = varint cursor in
    let first = varint cursor in
    let count = varint cursor in
    let length = varint cursor in
    { kind; question; first; count; length; digest = take cursor 32 }
  in
  let objects = List.rev (List.rev_map read_object (List.init n Fun.id)) in
  require_order objects;
  { bytes; root = Blake3.derive_key "draughtproof certificate root 1" bytes; sealed; objects }

(* CLAIM, which must be the one that MANIFEST tells of. No claim comes near 65536 bytes. *)
let read_claim directory =
  let bytes, size = read_start (Filename.concat directory "CLAIM") 65536 in
  if size > 65536 then fail "CLAIM: too long";
  bytes

let require_claim manifest bytes =
  if (String.length bytes, Blake3.digest bytes) <> manifest.sealed then
    raise (Refuted "claim-hash file=CLAIM")

(* {1 Objects} *)

let open_object directory item =
  let name = "objects/" ^ Blake3.hexadecimal item.digest in
  let bytes, size = read_start (Filename.concat directory name) item.length in
  if size <> item.length || Blake3.digest bytes <> item.digest then
    raise (Refuted ("object-hash file=" ^ name));
  let cursor = open_bytes name (if item.kind = 0 then "DPNODES\000" else "DPLEAVES") bytes in
  let question = varint cursor in
  let first = varint cursor in
  let count = varint cursor in
  if (question, first, count) <> (item.question, item.first, item.count) then
    fail "%s: not what MANIFEST says" name;
  if count > left cursor / (if item.kind = 0 then 24 else 16) then ends cursor;
  cursor

(* The bits of a strategy, of each byte from its lowest. *)
let bits_of text =
  let rec before at rest =
    if at < 0 then rest
    else before (at - 1) ((Char.code text.[at / 8] lsr (at land 7) land 1 = 1) :: rest)
  in
  before ((8 * String.length text) - 1) []

(* The results of [read] for all items of an object, in reverse; nothing here may be as deep as a
   file is long. *)
let items count read = List.rev_map read (List.init count Fun.id)

let read_leaves directory item =
  let cursor = open_object directory item in
  let entry _ =
    let length = u64 cursor 0 and positions = u64 cursor 8 in
    cursor.at <- cursor.at + 16;
    (length, positions)
  in
  let entries = List.rev (items item.count entry) in
  let strategy (length, positions) = (positions, bits_of (take cursor length)) in
  List.rev (List.rev_map strategy entries)

(* What the nodes of a question before this one were: the last position, and how many leaves. *)
type before = { mutable last : int * int * int * int; mutable named : int }

let read_nodes directory before leaves item =
  let cursor = open_object directory item in
  let read_node _ =
    let data = u32 cursor 16 and kind = Char.code cursor.bytes.[cursor.at + 21] in
    let turn = Char.code cursor.bytes.[cursor.at + 20] and rank = u32 cursor 12 in
    let reserved = String.get_uint16_le cursor.bytes (cursor.at + 22) in
    let black = u32 cursor 0 and white = u32 cursor 4 and kings = u32 cursor 8 in
    (* What the proof does not need, but SPEC.md, 6, asks for. *)
    if turn > 1 || reserved <> 0 || (kind = 2 && data <> 0) || (item.question < 2 && rank <> 0) then
      fail "%s: a node is not written as it must be" cursor.file;
    if compare before.last (black, white, kings, turn) >= 0 then
      fail "%s: nodes are not in order" cursor.file;
    before.last <- (black, white, kings, turn);
    let place = { black; white; kings; to_move = (if turn = 1 then White else Black) } in
    let why =
      match kind with
      | 1 -> Or data
      | 2 -> And
      | 3 ->
        if data <> before.named || data >= Array.length leaves then
          fail "%s: a node has not the leaf that is due" cursor.file;
        before.named <- data + 1;
        let positions, strategy = leaves.(data) in
        Leaf (positions, strategy)
      (* An Assumed node says nothing that could be verified. *)
      | 4 -> raise (Declined "assumed")
      | _ -> fail "%s: a node of no kind" cursor.file
    in
    cursor.at <- cursor.at + 24;
    { place; rank; why }
  in
  List.rev (items item.count read_node)

(* The bytes of memory that an object of so many bytes takes: a node is ten times as large as in its
   file, and in a tree, and each bit of a strategy is three words. With room for what the runtime
   does not use. *)
let memory item = float item.length *. if item.kind = 0 then 16. else 256.

(* The nodes of a question, 0 to 3. *)
let question directory manifest number =
  let is_its item = item.question = number && item.kind < 2 in
  let all = List.filter is_its manifest.objects in
  if all <> [] && (lstat (Filename.concat directory "objects")).st_kind <> Unix.S_DIR then
    fail "objects: not a directory";
  let needed = List.fold_left (fun sum item -> sum +. memory item) 0. all in
  if needed > float (free_memory ()) then
    fail "objects: nodes and leaves may take %.0f bytes of memory, more than there are" needed;
  let nodes, leaves = List.partition (fun item -> item.kind = 0) all in
  let leaves = Array.of_list (List.concat_map (read_leaves directory) leaves) in
  let before = { last = (-1, 0, 0, 0); named = 0 } in
  let nodes = List.concat_map (read_nodes directory before leaves) nodes in
  if before.named <> Array.length leaves then fail "MANIFEST: more leaves than nodes name";
  nodes
