(* Reads files that may be hostile. Only ordinary files are opened, and their sizes are judged
   before they are read, so nothing hangs, and no more memory is asked for than bytes that may be
   there can justify. *)

(* What ends a check before its verdict: files that cannot be read, or wrong usage; a file that is
   not the one that its root stands for; what is not known here. *)
exception Unreadable of string
exception Refuted of string
exception Declined of string

let fail format = Printf.ksprintf (fun text -> raise (Unreadable text)) format

let lstat path = try Unix.lstat path with Unix.Unix_error (e, _, _) ->
  fail "%s: %s" path (Unix.error_message e)

let require_ordinary path (stats : Unix.stats) =
  if stats.st_kind <> Unix.S_REG then fail "%s: not an ordinary file" path

(* Opens an ordinary file for [read], which gets its size, too. Another kind of file is not opened,
   and where one is put there meanwhile, opening it does not wait. *)
let with_file path read =
  require_ordinary path (Unix.stat path);
  let file = Unix.openfile path Unix.[ O_RDONLY; O_NONBLOCK; O_CLOEXEC ] 0 in
  let finally () = Unix.close file in
  Fun.protect ~finally (fun () ->
    let stats = Unix.fstat file in
    require_ordinary path stats;
    read file stats.st_size)

(* The first bytes of a file of a certificate, so many, and its size. *)
let read_start path length =
  require_ordinary path (lstat path);
  with_file path (fun file size ->
    (* Unix.read would need 64 KiB of the stack. *)
    match really_input_string (Unix.in_channel_of_descr file) (min length size) with
    | bytes -> (bytes, size)
    | exception End_of_file -> fail "%s: changes while it is read" path)

(* A file of a certificate that has this size. *)
let read_whole path size =
  let bytes, found = read_start path size in
  if found <> size then fail "%s: changes while it is read" path;
  bytes

(* The first line of a file that [read] understands. *)
let line_of path read =
  match open_in path with
  | exception Sys_error _ -> None
  | file ->
    let rec lines () =
      match read (input_line file) with
      | found -> Some found
      | exception (Scanf.Scan_failure _ | Failure _) -> lines ()
      | exception End_of_file -> None
    in
    Fun.protect ~finally:(fun () -> close_in file) lines

(* The bytes of memory that can be had without swapping, or that this process may have. No bound
   where the system does not say. *)
let free_memory () =
  let scan format line = Scanf.sscanf (line ^ " ") format Fun.id in
  let free = line_of "/proc/meminfo" (scan "MemAvailable: %d kB ") in
  let allowed = line_of "/proc/self/limits" (scan "Max address space %d ") in
  Stdlib.min (match free with Some kib -> 1024 * kib | None -> max_int)
    (Option.value allowed ~default:max_int)
