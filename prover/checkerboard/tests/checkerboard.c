/* Calls the functions of the CheckerBoard API: what a program with a board does. */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "draughtproof_checkerboard.h"

#define OFFSET(field) offsetof(struct CBmove, field)

int main(void) {
    printf("%zu %zu %zu %zu %zu %zu %zu %zu %zu\n", sizeof(struct CBmove), OFFSET(jumps), OFFSET(newpiece),
           OFFSET(oldpiece), OFFSET(from), OFFSET(to), OFFSET(path), OFFSET(del), OFFSET(delpiece));

    char reply[256];
    assert(enginecommand("get gametype", reply) == 1 && strcmp(reply, "21") == 0);
    assert(enginecommand("set hashsize 8", reply) == 1);
    assert(enginecommand("no such command", reply) == 0 && reply[0] != 0);

    /* B:W19,K27:B15: the only move is 15x24x31, and the man is crowned. */
    int board[8][8] = {{0}};
    board[3][3] = CB_BLACK | CB_MAN;
    board[2][4] = CB_WHITE | CB_MAN;
    board[2][6] = CB_WHITE | CB_KING;
    char text[CB_TEXT_SIZE] = "";
    int playnow = 0;
    struct CBmove move;
    int claim = getmove(board, CB_BLACK, 0.1, text, &playnow, CB_RESET_MOVES, 0, &move);
    assert(claim >= CB_DRAW && claim <= CB_UNKNOWN && text[0] != 0);
    assert(move.jumps == 2 && move.oldpiece == 6 && move.newpiece == 10);
    assert(move.from.x == 3 && move.from.y == 3 && move.to.x == 3 && move.to.y == 7);
    assert(move.path[0].x == 3 && move.path[1].x == 1 && move.path[1].y == 5);
    assert(move.path[2].y == 7 && move.path[3].x == -1);
    assert(move.del[0].x == 2 && move.del[0].y == 4 && move.delpiece[0] == 5);
    assert(move.del[1].x == 2 && move.del[1].y == 6 && move.delpiece[1] == 9);
    assert(move.del[2].x == -1 && move.delpiece[2] == 0);
    int pieces = 0;
    for (int x = 0; x < 8; x++)
        for (int y = 0; y < 8; y++) pieces += board[x][y] != 0;
    assert(pieces == 1 && board[3][7] == (CB_BLACK | CB_KING));

    /* White has nothing left to move. */
    assert(getmove(board, CB_WHITE, 0.1, text, &playnow, 0, 0, &move) == CB_LOSS);
    assert(board[3][7] == 10 && move.jumps == 0 && move.from.x == -1);
    puts("the move is as it is told");
    return 0;
}
