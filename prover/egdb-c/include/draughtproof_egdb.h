// Draughtproof's endgame databases for programs in C and C++. Made by cbindgen from the files of src/:
// UPDATE_HEADER=1 cargo test -p draughtproof-egdb-c

#ifndef DRAUGHTPROOF_EGDB_H
#define DRAUGHTPROOF_EGDB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// The side to move loses.
#define EGDB_LOSS 0

// Neither side can win.
#define EGDB_DRAW 1

// The side to move wins.
#define EGDB_WIN 2

// The database has no value: for a position that it does not cover (too many pieces, or a side
// without pieces), or of a slice whose file is missing.
#define EGDB_UNKNOWN 3

// For `egdb_open`: values are read and decoded when they are needed, and some of them are kept.
#define EGDB_CACHED 0

// For `egdb_open`: all values are in memory of the process, decoded when the database is opened.
#define EGDB_RESIDENT 1

// For `egdb_open`: values are in the tables beside the database that `prove db map` makes,
// mapped into memory and shared by all processes; slices without a table are as with
// `EGDB_CACHED`. If another program cuts such a file short while it is in use, the process gets
// SIGBUS.
#define EGDB_MAPPED 2

// A file cannot be read or is damaged.
#define EGDB_ERROR -1

// The position is not one of the board: pieces overlap or are off the board, a man stands where it
// would be crowned, or kings are no pieces; or a pointer is null.
#define EGDB_INVALID -2

// From `egdb_probe_cached`: a file would have to be read for the value.
#define EGDB_NOT_CACHED 4

// From `egdb_depth`, and in `egdb_move`: there is no depth, because the position is drawn or
// unknown, or no depths are stored (`prove db --depth`).
#define EGDB_NO_DEPTH -3

// From `egdb_verify`: the caller has stopped it.
#define EGDB_STOPPED -4

// The bytes of the text of a cover in `egdb_identity`, its zero included.
#define EGDB_COVER_SIZE 64

// The bytes of the text of a root in `egdb_identity`, its zero included.
#define EGDB_ROOT_SIZE 65

// The bytes of the name of a move, its zero included.
#define EGDB_MOVE_SIZE 48

// An open database.
typedef struct egdb_database egdb_database;

// A position. Bit n − 1 of a set stands for square n in the standard numbering, in which Black's
// men move towards higher numbers.
typedef struct egdb_position {
  // The set of Black's pieces.
  uint32_t black;
  // The set of White's pieces.
  uint32_t white;
  // The set of the kings of both sides.
  uint32_t kings;
  // 0 if Black is to move, any other number if White is.
  uint32_t white_to_move;
} egdb_position;

// The identity of a database.
typedef struct egdb_identity {
  // The number of rows of its board.
  uint32_t rows;
  // The number of columns of its board.
  uint32_t columns;
  // The largest number of pieces that it covers.
  uint32_t pieces;
  // The number of its slices, each of which is a file.
  uint32_t slices;
  // The bytes of these files together.
  uint64_t bytes;
  // The text of its cover, as from `egdb_cover`.
  char cover[EGDB_COVER_SIZE];
  // Its root: a hash over the list of all files, in hexadecimal digits.
  char root[EGDB_ROOT_SIZE];
} egdb_identity;

// A callback of `egdb_verify` with the number of verified bytes and that of all bytes; it returns
// 0 to go on.
typedef int (*egdb_progress)(void *context, uint64_t done, uint64_t total);

// A legal move.
typedef struct egdb_move {
  // The name of the move in PDN, such as `22x15`; ends with a zero.
  char name[EGDB_MOVE_SIZE];
  // The position after the move.
  struct egdb_position after;
  // The lower bound of the move's value for the side that makes it.
  int lower;
  // The upper bound of that value.
  int upper;
  // The plies until the next capture, crowning or move of a man, this move included; or
  // `EGDB_NO_DEPTH`.
  int depth;
} egdb_move;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens the database of the board rows x columns in a directory. `mode` is the place of the
// values: `EGDB_CACHED` (0), `EGDB_RESIDENT` (1) or `EGDB_MAPPED` (2). Of cached values at most
// `memory` bytes are kept; resident values must not take more. On failure it returns null and
// writes a message into `error` (of `error_size` bytes; may be null).
//
// # Safety
// `path` must be a string that ends with a zero, and `error` null or of `error_size` bytes.
struct egdb_database *egdb_open(const char *path,
                                uint32_t rows,
                                uint32_t columns,
                                uint64_t memory,
                                int mode,
                                char *error,
                                uintptr_t error_size);

// Closes a database; null is ignored.
//
// # Safety
// `database` must come from `egdb_open` and not be used again.
void egdb_close(struct egdb_database *database);

// Writes the cover of a database, and a zero, into `size` bytes (`text` may be null): `6` means
// all positions with at most 6 pieces, `7,8:4` also those with at most 8 of which neither side has
// more than 4. Returns the length of the whole text, which is cut off if it does not fit.
//
// # Safety
// `database` must be open, and `text` null or of `size` bytes.
int egdb_cover(const struct egdb_database *database, char *text, uintptr_t size);

// The largest number of pieces of a covered position: no position with more has a value.
//
// # Safety
// `database` must be open.
int egdb_pieces(const struct egdb_database *database);

// Looks up `count` positions; writes a value, `EGDB_UNKNOWN` or `EGDB_INVALID` for each. Parts of
// files that must be read are read once each, by all processors, so this is how to look up many
// positions for the first time. Returns 0, or `EGDB_ERROR` and a message.
//
// # Safety
// `database` must be open, `positions` and `values` of `count` elements, and `error` null or of
// `error_size` bytes.
int egdb_probe_batch(const struct egdb_database *database,
                     const struct egdb_position *positions,
                     uintptr_t count,
                     int *values,
                     char *error,
                     uintptr_t error_size);

// The value of a position for the side to move, `EGDB_UNKNOWN`, `EGDB_INVALID`, or `EGDB_ERROR`
// and a message.
//
// # Safety
// As for `egdb_probe_batch`.
int egdb_probe(const struct egdb_database *database,
               struct egdb_position position,
               char *error,
               uintptr_t error_size);

// Like `egdb_probe`, but reads no file and decodes nothing: if the value is not in memory, it
// returns `EGDB_NOT_CACHED`. This is for a search that looks many positions up and cannot wait.
//
// # Safety
// As for `egdb_probe`.
int egdb_probe_cached(const struct egdb_database *database,
                      struct egdb_position position,
                      char *error,
                      uintptr_t error_size);

// The bounds of the value of a position, inclusively, for the side to move: writes `EGDB_LOSS`,
// `EGDB_DRAW` or `EGDB_WIN` into `lower` and `upper`, which are equal where the value is known.
// If the database does not cover the position, the bounds follow from the rules and the values
// of its moves; `EGDB_LOSS` and `EGDB_WIN` mean that nothing is known. Returns 0, `EGDB_INVALID`,
// or `EGDB_ERROR` and a message.
//
// # Safety
// As for `egdb_probe`; `lower` and `upper` may be null.
int egdb_bounds(const struct egdb_database *database,
                struct egdb_position position,
                int *lower,
                int *upper,
                char *error,
                uintptr_t error_size);

// The depth of a won or lost position: the plies until the next capture, crowning or move of a man
// that keeps the value, that move included, when the winner hurries and the loser delays; 0 for a
// loss without a move. Otherwise `EGDB_NO_DEPTH`, `EGDB_INVALID`, or `EGDB_ERROR` and a message.
//
// # Safety
// As for `egdb_probe`.
int egdb_depth(const struct egdb_database *database,
               struct egdb_position position,
               char *error,
               uintptr_t error_size);

// The plies from a won or lost position to the end of the game if the winner hurries to each next
// capture, crowning or move of a man, and the loser delays it. The shortest win can be shorter.
// Otherwise as `egdb_depth`.
//
// # Safety
// As for `egdb_probe`.
int egdb_plies(const struct egdb_database *database,
               struct egdb_position position,
               char *error,
               uintptr_t error_size);

// Identifies the database of the board rows x columns in a directory, without opening it or
// reading more than its list of files. Returns 1 if there is one, 0 if there is none, or
// `EGDB_ERROR` and a message. If rows and columns are 0, the database of the largest board is
// identified. `identity` may be null.
//
// # Safety
// `path` must be a string that ends with a zero, `identity` null or a place for one, and `error`
// null or of `error_size` bytes.
int egdb_identify(const char *path,
                  uint32_t rows,
                  uint32_t columns,
                  struct egdb_identity *identity,
                  char *error,
                  uintptr_t error_size);

// Verifies that the files of the database of the board rows x columns are undamaged: all of them
// are read, and their lengths and hashes compared with those in its list, whose own hash is the
// root. `progress` (may be null) is called with `context` after each file. Returns 0,
// `EGDB_STOPPED`, or `EGDB_ERROR` and a message that names the first file that differs. Depths and
// mapped tables are not verified here, but when they are read.
//
// # Safety
// `path` must be a string that ends with a zero, `progress` null or such a function, and `error`
// null or of `error_size` bytes.
int egdb_verify(const char *path,
                uint32_t rows,
                uint32_t columns,
                egdb_progress progress,
                void *context,
                char *error,
                uintptr_t error_size);

// Reads a FEN such as `B:W18,24,K30:B12,K16`, of the board of the database. Returns 0, or
// `EGDB_INVALID` and a message that names the fault and its place.
//
// # Safety
// `database` must be open, `fen` a string that ends with a zero, `position` a place for one, and
// `error` null or of `error_size` bytes.
int egdb_read_fen(const struct egdb_database *database,
                  const char *fen,
                  struct egdb_position *position,
                  char *error,
                  uintptr_t error_size);

// Writes the FEN of a position, and a zero, into `size` bytes (`text` may be null). Returns the
// length of the whole text, which is cut off if it does not fit, or `EGDB_INVALID`.
//
// # Safety
// `database` must be open, and `text` null or of `size` bytes.
int egdb_write_fen(const struct egdb_database *database,
                   struct egdb_position position,
                   char *text,
                   uintptr_t size);

// The legal moves of a position, the best first, with their values: writes the first `count` of
// them and returns the number of all; if there are none, the side to move has lost. Moves that
// lead to equal positions are one. Otherwise it returns `EGDB_INVALID`, or `EGDB_ERROR` and a
// message.
//
// # Safety
// `database` must be open, `moves` of `count` elements (null if that is 0), and `error` null or of
// `error_size` bytes.
int egdb_moves(const struct egdb_database *database,
               struct egdb_position position,
               struct egdb_move *moves,
               uintptr_t count,
               char *error,
               uintptr_t error_size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* DRAUGHTPROOF_EGDB_H */
