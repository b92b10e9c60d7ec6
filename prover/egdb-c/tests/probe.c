/* Opens the 8x8 database in the directory given and looks positions up: what a checkers engine does. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "draughtproof_egdb.h"

#define SQUARE(n) (1u << ((n) - 1))

static int probe(const egdb_database *database, egdb_position position) {
    char error[256] = "";
    int value = egdb_probe(database, position, error, sizeof error);
    if (value == EGDB_ERROR) fprintf(stderr, "%s\n", error);
    return value;
}

int main(int argc, char **argv) {
    char error[256] = "";
    assert(argc == 2);
    assert(egdb_open("/nowhere", 8, 8, 1 << 20, 0, error, sizeof error) == NULL);
    assert(strstr(error, "no database here") != NULL);
    assert(egdb_open(argv[1], 9, 9, 1 << 20, 0, NULL, 0) == NULL);

    for (int mode = EGDB_CACHED; mode <= EGDB_MAPPED; mode++) {
        egdb_database *database = egdb_open(argv[1], 8, 8, 1 << 28, mode, error, sizeof error);
        if (database == NULL) {
            fprintf(stderr, "%s\n", error);
            return 1;
        }
        char cover[8] = "";
        assert(egdb_pieces(database) == 4);
        assert(egdb_cover(database, cover, sizeof cover) == 3 && strcmp(cover, "4:2") == 0);
        assert(egdb_cover(database, cover, 2) == 3 && strcmp(cover, "4") == 0);
        assert(egdb_cover(database, NULL, 0) == 3 && egdb_cover(NULL, NULL, 0) == EGDB_INVALID);

        /* W:W31,10:B3,1, the longest win with four pieces, and the same for the other side. */
        egdb_position longest = {SQUARE(3) | SQUARE(1), SQUARE(31) | SQUARE(10), 0, 1};
        assert(probe(database, longest) == EGDB_WIN);
        /* B:WK1:BK32, two kings far apart. */
        egdb_position draw = {SQUARE(32), SQUARE(1), SQUARE(32) | SQUARE(1), 0};
        assert(probe(database, draw) == EGDB_DRAW);
        /* B:W15:B10, a jump that takes the last piece. */
        egdb_position jump = {SQUARE(10), SQUARE(15), 0, 0};
        assert(probe(database, jump) == EGDB_WIN);
        /* No piece of the side to move; two pieces on a square; a man where it would be crowned. */
        egdb_position nothing = {0, SQUARE(15), 0, 0};
        assert(probe(database, nothing) == EGDB_UNKNOWN);
        /* B:WK32:BK1,K2,K3, more pieces of a side than the database has. */
        egdb_position three = {SQUARE(1) | SQUARE(2) | SQUARE(3), SQUARE(32), 0, 0};
        three.kings = three.black | three.white;
        assert(probe(database, three) == EGDB_UNKNOWN);
        egdb_position overlap = {SQUARE(10), SQUARE(10), 0, 0};
        assert(probe(database, overlap) == EGDB_INVALID);
        egdb_position crowned = {SQUARE(30), SQUARE(10), 0, 0};
        assert(probe(database, crowned) == EGDB_INVALID);

        egdb_position batch[4] = {longest, draw, overlap, jump};
        int values[4];
        assert(egdb_probe_batch(database, batch, 4, values, error, sizeof error) == 0);
        assert(values[0] == EGDB_WIN && values[1] == EGDB_DRAW);
        assert(values[2] == EGDB_INVALID && values[3] == EGDB_WIN);
        assert(egdb_probe_batch(database, NULL, 0, NULL, NULL, 0) == 0);
        egdb_close(database);
    }
    egdb_close(NULL);
    assert(egdb_probe(NULL, (egdb_position){0}, NULL, 0) == EGDB_INVALID);
    puts("all values as expected");
    return 0;
}
