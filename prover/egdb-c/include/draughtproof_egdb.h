// Draughtproof's endgame databases for programs in C and C++. Made by cbindgen from src/database.rs:
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

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens the database of the board rows x columns in a directory. `mode` says where values are:
// `EGDB_CACHED` (0), `EGDB_RESIDENT` (1) or `EGDB_MAPPED` (2). Of what is cached at most `memory`
// bytes are kept; what is resident must not take more. Returns null and writes a message into
// `error` (of `error_size` bytes; may be null) if that fails.
//
// # Safety
// `directory` must be a string that ends with a zero, and `error` null or of `error_size` bytes.
struct egdb_database *egdb_open(const char *directory,
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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* DRAUGHTPROOF_EGDB_H */
