// Draughtproof's endgame databases for programs in C and C++. Made by cbindgen from src/lib.rs:
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

// Not in the database: too many pieces, a side without pieces, or a slice whose file is not there.
#define EGDB_UNKNOWN 3

// A file cannot be read or is damaged.
#define EGDB_ERROR -1

// No position of the board: pieces that overlap or are off the board, a man where it would be crowned,
// kings that are no pieces; or a null pointer.
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

// Opens the database of the board rows x columns in a directory. With `resident` not 0 all values are
// held in memory, if that takes at most `memory` bytes; else that is the size of a cache. Returns null
// and writes a message into `error` (of `error_size` bytes; may be null) if that fails.
//
// # Safety
// `directory` must be a string that ends with a zero, and `error` null or of `error_size` bytes.
struct egdb_database *egdb_open(const char *directory,
                                uint32_t rows,
                                uint32_t columns,
                                uint64_t memory,
                                int resident,
                                char *error,
                                uintptr_t error_size);

// Closes a database; null is ignored.
//
// # Safety
// `database` must come from `egdb_open` and not be used again.
void egdb_close(struct egdb_database *database);

// The largest number of pieces that a database covers.
//
// # Safety
// `database` must be open.
int egdb_pieces(const struct egdb_database *database);

// Looks up `count` positions; writes a value, `EGDB_UNKNOWN` or `EGDB_INVALID` for each. Parts of files that
// must be read are read once each, by all processors: that is how to look up many positions for the
// first time. Returns 0, or `EGDB_ERROR` and a message.
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

// The value of a position for the side to move, `EGDB_UNKNOWN`, `EGDB_INVALID`, or `EGDB_ERROR` and a message.
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
