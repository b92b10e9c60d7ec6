// Draughtproof's endgame databases of 8x8 behind the interface of KingsRow's driver for English
// checkers: names, types and numbers are those of that driver (Ed Gilbert's egdb.dll), so that
// programs written for it look positions up here. They are compiled with this egdb.h in place of
// theirs, and linked to libdraughtproof_egdb_driver. New programs take draughtproof_egdb.h, which
// has more. The two libraries both have a function egdb_open, so a program links to one of them.
//
// Differences from KingsRow's driver:
// - A value is right for every position that the database covers, also where one side or the other
//   has a capture.
// - Databases are win, loss or draw. MTC and DTW are numbers of the interface that none of ours has.

#ifndef DRAUGHTPROOF_EGDB_DRIVER_H
#define DRAUGHTPROOF_EGDB_DRIVER_H

#ifdef _WIN32
#define EGDB_API __declspec(dllimport)
#define EGDB_CALL __cdecl
#else
#define EGDB_API
#define EGDB_CALL
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The side to move.
enum EGDB_COLOR { EGDB_BLACK = 0, EGDB_WHITE = 1 };

// What lookup() returns, for the side to move.
enum LOOKUP_VALUE {
    EGDB_SUBDB_UNAVAILABLE = -2, // the position has more pieces than the database was opened for
    EGDB_NOT_IN_CACHE = -1,      // a file would have to be read, which the caller did not want
    EGDB_UNKNOWN = 0,            // not covered, no position of the board, or a fault, which is reported
    EGDB_WIN = 1,
    EGDB_LOSS = 2,
    EGDB_DRAW = 3,
    EGDB_DRAW_OR_LOSS = 4, // never returned here
    EGDB_WIN_OR_DRAW = 5   // never returned here
};

// Values of databases of moves to conversion, which are not there.
enum MTC_VALUE { MTC_UNKNOWN = 0, MTC_LESS_THAN_THRESHOLD = 1, MTC_THRESHOLD = 10 };

// Kinds of databases. egdb_identify() always reports EGDB_KINGSROW32_WLD_TUN: of this kind, programs
// look positions with up to 5 pieces a side up, and of the others fewer.
typedef enum {
    EGDB_KINGSROW_WLD = 0,
    EGDB_KINGSROW_MTC = 1,
    EGDB_CAKE_WLD = 2,
    EGDB_CHINOOK_WLD = 3,
    EGDB_KINGSROW32_WLD = 4,
    EGDB_KINGSROW32_MTC = 5,
    EGDB_CHINOOK_ITALIAN_WLD = 6,
    EGDB_KINGSROW32_ITALIAN_WLD = 7,
    EGDB_KINGSROW32_ITALIAN_MTC = 8,
    EGDB_KINGSROW32_WLD_TUN = 9,
    EGDB_KINGSROW32_ITALIAN_WLD_TUN = 10,
    EGDB_KINGSROW_DTW = 11,
    EGDB_KINGSROW_ITALIAN_DTW = 12
} EGDB_TYPE;

// The form of the positions that are looked up.
typedef enum { EGDB_NORMAL = 0, EGDB_ROW_REVERSED = 1 } EGDB_BITBOARD_TYPE;

// EGDB_NORMAL: bit n - 1 stands for square n.
typedef struct {
    unsigned int black; // men and kings
    unsigned int white; // men and kings
    unsigned int king;  // of both sides
} EGDB_NORMAL_BITBOARD;

// EGDB_ROW_REVERSED: the four squares of each row are the other way round. Bit 3 stands for square
// 1, bit 0 for square 4, bit 7 for square 5.
typedef struct {
    unsigned int black_man;
    unsigned int black_king;
    unsigned int white_man;
    unsigned int white_king;
} EGDB_ROW_REVERSED_BITBOARD;

typedef union {
    EGDB_NORMAL_BITBOARD normal;
    EGDB_ROW_REVERSED_BITBOARD row_reversed;
} EGDB_BITBOARD;

// Counts since the database was opened, or since reset_stats().
typedef struct {
    unsigned int lru_cache_hits;          // values that were in memory
    unsigned int lru_cache_loads;         // look-ups that read or decoded
    unsigned int autoload_hits;           // 0
    unsigned int db_requests;             // look-ups
    unsigned int db_returns;              // values returned
    unsigned int db_not_present_requests; // look-ups of positions that the database does not have
} EGDB_STATS;

// An open database. Several threads may look up at a time.
typedef struct egdb_driver {
    // The value of a position. If cl is not 0, no file is read and nothing is decoded: the value is
    // EGDB_NOT_IN_CACHE if it is not in memory.
    int(EGDB_CALL *lookup)(struct egdb_driver *handle, EGDB_BITBOARD *position, int color, int cl);
    void(EGDB_CALL *reset_stats)(struct egdb_driver *handle);
    // The counts, in memory of the handle, which go on counting.
    EGDB_STATS *(EGDB_CALL *get_stats)(struct egdb_driver *handle);
    // Reads all files and compares their hashes. Returns 0 if all are undamaged; otherwise each fault
    // is reported.
    int(EGDB_CALL *verify)(struct egdb_driver *handle);
    // Closes the database, which must not be used again. Returns 0.
    int(EGDB_CALL *close)(struct egdb_driver *handle);
    void *internal_data;
} EGDB_DRIVER;

// Opens the database of 8x8 in a directory, of which `8x8` is a folder, for positions with at most
// `pieces` pieces; more than the database has is an error. cache_mb is the memory, in MiB, for
// decoded values; slices with a mapped table (prove db map) need none. Reports, and faults of later
// calls, are lines to msg_fn, which may be null and may be called by any thread that uses the
// database. Returns null on failure.
EGDB_API EGDB_DRIVER *EGDB_CALL egdb_open(EGDB_BITBOARD_TYPE bitboard_type, int pieces, int cache_mb,
                                          const char *directory, void(EGDB_CALL *msg_fn)(char *));

// Returns 0 if there is a database of 8x8 in a directory, and writes its kind and the largest number
// of pieces of a covered position; otherwise another number. Both pointers may be null.
EGDB_API int EGDB_CALL egdb_identify(const char *directory, EGDB_TYPE *egdb_type, int *max_pieces);

#ifdef __cplusplus
}
#endif

#endif
