(* Standard output, and how a check ends. Exit status 0 is for those alone whose words have arrived,
   so nothing is left to the library, which would go on after a line that is lost. *)

(* Unix.write would need 64 KiB of the stack. *)
let print_line line =
  print_string (line ^ "\n");
  flush stdout

(* What a file says must not look like a verdict: in each word every byte that is not a printable
   ASCII character, or is a %, is written as % and two hexadecimal digits, as in SPEC.md, 10. *)
let escaped text =
  let add buffer c =
    if ' ' <= c && c <= '~' && c <> '%' then Buffer.add_char buffer c
    else Buffer.add_string buffer (Printf.sprintf "%%%02x" (Char.code c))
  in
  let buffer = Buffer.create (String.length text) in
  String.iter (add buffer) text;
  Buffer.contents buffer

(* The last line and the status of a check that ended early. *)
let verdict_of error =
  let ended status word text =
    let shown = String.sub text 0 (min 300 (String.length text)) in
    (status, Printf.sprintf "s %s %s" word (escaped shown))
  in
  match error with
  | Files.Refuted what -> ended 1 "REFUTED" what
  | Files.Declined what -> ended 3 "DECLINED" what
  | Files.Unreadable text | Sys_error text -> ended 4 "ERROR" text
  | Unix.Unix_error (e, _, file) -> ended 4 "ERROR" (file ^ ": " ^ Unix.error_message e)
  | Out_of_memory -> ended 4 "ERROR" "out of memory"
  | Stack_overflow -> ended 4 "ERROR" "the stack is too small for these files"
  | _ -> ended 4 "ERROR" "the files cannot be read"

(* Prints the line of the verdict that [check] comes to, and ends with its status; with 4 where the
   line cannot be written. Whatever goes wrong here, the status is none of 0 to 3. Standard output
   that was closed would be the next file that is opened. *)
let finish check =
  Unix._exit
    (try
       ignore (Unix.fstat Unix.stdout);
       List.iter (fun signal -> Sys.set_signal signal Sys.Signal_ignore) Sys.[ sigpipe; sigxfsz ];
       let status, line = try check () with error -> verdict_of error in
       if line <> "" then print_line line;
       status
     with _ -> 4)
