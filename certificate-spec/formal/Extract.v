(* The check as a program in OCaml: `make check-verified`. *)
From Draughtproof Require Import Spec Squares Rules Perft Check Joined Words Lines.
From Coq Require Extraction ExtrOcamlBasic ExtrOcamlNativeString ExtrOCamlInt63.
Extraction Language OCaml.
Extraction "check-verified/verified.ml"
  verdict merged claims claim_words game_words cover_words is_game perft
  successors ordered make_geometry start_of squares.
