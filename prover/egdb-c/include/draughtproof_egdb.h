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

// Not in the database: a position that it does not cover (too many pieces, or a side without
// pieces), or one of a slice whose file is not there.
#define EGDB_UNKNOWN 3

// For `egdb_open`: values are read and decoded when they are needed, and some kept.
#define EGDB_CACHED 0

// For `egdb_open`: all values in memory of the process, decoded at once.
#define EGDB_RESIDENT 1

// For `egdb_open`: in the tables beside the database that `prove db --map` makes, mapped into
// memory and shared by all processes; where there is none, as `EGDB_CACHED`. If somebody cuts such
// a file short while it is in use, the process gets SIGBUS.
#define EGDB_MAPPED 2

// A file cannot be read or is damaged.
#define EGDB_ERROR -1

// No position of the board: pieces that overlap or are off the board, a man where it would be
// crowned, kings that are no pieces; or a null pointer.
#define EGDB_INVALID -2

// From `egdb_probe_cached`: a file would have to be read to know.
#define EGDB_NOT_CACHED 4

// From `egdb_depth`, and in `egdb_move`: there is no depth, as the position is drawn or unknown,
// or no depths are stored (`prove db --depth`).
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

// A position. Bit n − 1 of a set stands for square n in the standard numbering, Black's men moving
// towards higher numbers.
typedef struct egdb_position {
  // Black's pieces.
  uint32_t black;
  // White's pieces.
  uint32_t white;
  // Those of both sides that are kings.
  uint32_t kings;
  // 0 if Black is to move, else White is.
  uint32_t white_to_move;
} egdb_position;

// What a database is.
typedef struct egdb_identity {
  // The rows of its board.
  uint32_t rows;
  // The columns.
  uint32_t columns;
  // The largest number of pieces that it covers.
  uint32_t pieces;
  // How many slices it has, each a file.
  uint32_t slices;
  // The bytes of these files.
  uint64_t bytes;
  // Which positions it covers, as from `egdb_cover`.
  char cover[EGDB_COVER_SIZE];
  // Its root: a hash that all files follow from, in hexadecimal digits.
  char root[EGDB_ROOT_SIZE];
} egdb_identity;

// Called by `egdb_verify` with how many bytes of how many are verified; what it returns is 0 to go
// on.
typedef int (*egdb_progress)(void *context, uint64_t done, uint64_t total);

// A legal move.
typedef struct egdb_move {
  // Its name in PDN, such as `22x15`; ends with a zero.
  char name[EGDB_MOVE_SIZE];
  // The position after it.
  struct egdb_position after;
  // Its value for the side that makes it is at least this.
  int lower;
  // And at most this.
  int upper;
  // The plies until the next capture, crowning or move of a man, this move included; or
  // `EGDB_NO_DEPTH`.
  int depth;
} egdb_move;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens the database of the board rows x columns in a directory. `mode` says where values are:
// `EGDB_CACHED` (0), `EGDB_RESIDENT` (1) or `EGDB_MAPPED` (2). Of what is cached at most `memory`
// bytes are kept; what is resident must not take more. Returns null and writes a message into
// `error` (of `error_size` bytes; may be null) if that fails.
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

// Writes which positions a database covers, and a zero, into `size` bytes (`text` may be null):
// `6` are all with at most 6 pieces, `7,8:4` also those with at most 8 of which neither side has
// more than 4. Returns the length of the whole text, which is cut off if it does not fit.
//
// # Safety
// `database` must be open, and `text` null or of `size` bytes.
int egdb_cover(const struct egdb_database *database, char *text, uintptr_t size);

// The largest number of pieces of a position that a database covers: none with more has a value.
//
// # Safety
// `database` must be open.
int egdb_pieces(const struct egdb_database *database);

// Looks up `count` positions; writes a value, `EGDB_UNKNOWN` or `EGDB_INVALID` for each. Parts of
// files that must be read are read once each, by all processors: that is how to look up many
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

// The same as `egdb_probe`, but as far as it is in memory: no file is read, and nothing decoded;
// else `EGDB_NOT_CACHED`. For a search that looks many positions up and waits for none.
//
// # Safety
// As for `egdb_probe`.
int egdb_probe_cached(const struct egdb_database *database,
                      struct egdb_position position,
                      char *error,
                      uintptr_t error_size);

// What the value of a position lies between, for the side to move: writes `EGDB_LOSS`, `EGDB_DRAW`
// or `EGDB_WIN` into `lower` and `upper`, which are the same where the value is known. Where the
// database does not cover the position, that is what the rules and the values of its moves tell;
// nothing is known between `EGDB_LOSS` and `EGDB_WIN`. Returns 0, `EGDB_INVALID`, or `EGDB_ERROR`
// and a message.
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
// loss without a move. Or `EGDB_NO_DEPTH`, `EGDB_INVALID`, or `EGDB_ERROR` and a message.
//
// # Safety
// As for `egdb_probe`.
int egdb_depth(const struct egdb_database *database,
               struct egdb_position position,
               char *error,
               uintptr_t error_size);

// Says what the database of the board rows x columns in a directory is, without opening it or
// reading more than its list of files. Returns 1 if there is one, 0 if there is none, or
// `EGDB_ERROR` and a message. With rows and columns 0, of the largest board of which there is one;
// `identity` may be null.
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

// Verifies that the files of the database of the board rows x columns are as they were written:
// all of them are read, and their lengths and hashes compared with those in its list, whose own
// hash is the root. `progress` (may be null) is called with `context` after each file. Returns 0,
// `EGDB_STOPPED`, or `EGDB_ERROR` and a message that names the first file that is not right.
// Depths and mapped tables are not looked at; they are verified when they are read.
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
// `EGDB_INVALID` and a message that says what is wrong where.
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
// them and returns how many there are; without any the side to move has lost. Moves that lead to
// the same position are one. Or returns `EGDB_INVALID`, or `EGDB_ERROR` and a message.
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
