// The functions of the CheckerBoard API in Draughtproof's library, for programs in C and C++ that
// load or link it. Take either this header or CheckerBoard's cb_interface.h: the types are the same.

#ifndef DRAUGHTPROOF_CHECKERBOARD_H
#define DRAUGHTPROOF_CHECKERBOARD_H

#if defined(_WIN32) && !defined(_WIN64)
#define CB_CALL __stdcall
#else
#define CB_CALL
#endif

// Pieces are a colour and a kind: 5 and 9 are White's man and king, 6 and 10 Black's.
#define CB_FREE 0
#define CB_WHITE 1
#define CB_BLACK 2
#define CB_MAN 4
#define CB_KING 8

// What getmove() returns: what is proved for the side that moves.
#define CB_DRAW 0
#define CB_WIN 1
#define CB_LOSS 2
#define CB_UNKNOWN 3

// Bits of `info`: the position does not follow from the one before; the time of a move is exact
// (it always is).
#define CB_RESET_MOVES 1
#define CB_EXACT_TIME 2
// Two bits of `info` from here on: 0, or the unit of the times in `moreinfo`: 1 for 0.001 s, 2 for
// 0.01 s, 3 for 0.1 s. The upper 16 bits of `moreinfo` are the time left to the game, the lower 16
// the increment a move.
#define CB_INCR_TIME_SHIFT 2

#define CB_TEXT_SIZE 1024

// A place: x from 0 at the left as Black sees it, y from 0 for Black's home row. Square 1 is (6, 0),
// square 4 is (0, 0), square 32 is (1, 7).
struct coor {
    int x;
    int y;
};

// A move. What is not used of a list is (-1, -1), or 0 in delpiece.
struct CBmove {
    int jumps;            // pieces taken
    int newpiece;         // the piece after the move
    int oldpiece;         // and before
    struct coor from;
    struct coor to;
    struct coor path[12]; // `from`, then where each step or jump ends
    struct coor del[12];  // the squares of the pieces taken
    int delpiece[12];     // these pieces
};

#ifdef __cplusplus
extern "C" {
#endif

// Finds a move for `color`, makes it on `board` (board[x][y]) and writes it into `move`. Without a
// legal move, CB_LOSS, and with a board or colour that is none, CB_UNKNOWN; `text` says so, and the
// board stays as it is. `maxtime` is in seconds. Ends soon after `*playnow` is not 0, which another
// thread may write at any time. `text` has CB_TEXT_SIZE bytes and is rewritten during the search.
// Any pointer may be null.
int CB_CALL getmove(int board[8][8], int color, double maxtime, char *text, int *playnow, int info,
                    int moreinfo, struct CBmove *move);

// Does what `command` asks for and writes a reply of at most 256 bytes, its zero included. Returns 1
// if that was done, else 0, and the reply says why not. May be called while getmove() runs.
int CB_CALL enginecommand(const char *command, char *reply);

#ifdef __cplusplus
}
#endif

#endif
