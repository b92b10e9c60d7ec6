/* Says what databases know of positions: any database that `prove db` has made.
 *
 *     cc -o probe probe.c $(pkg-config --cflags --libs draughtproof-egdb)
 *     ./probe egdb                                     what is there, verified
 *     ./probe egdb "W:W31,10:B3,1" "B:WK1:BK32"        values, depths, moves
 */
#include <stdio.h>
#include <stdlib.h>

#include "draughtproof_egdb.h"

static const char *word(int value) {
    static const char *words[] = {"loss", "draw", "win"};
    return value >= EGDB_LOSS && value <= EGDB_WIN ? words[value] : "?";
}

/* A value, or what it lies between. */
static void print_bounds(int lower, int upper) {
    if (lower == upper) {
        printf("%s", word(lower));
    } else if (lower == EGDB_LOSS && upper == EGDB_WIN) {
        printf("unknown");
    } else {
        printf("%s%s", upper == EGDB_WIN ? ">=" : "<=", word(upper == EGDB_WIN ? lower : upper));
    }
}

static void fail(const char *what, const char *error) {
    fprintf(stderr, "probe: %s: %s\n", what, error);
    exit(1);
}

static int print_progress(void *context, uint64_t done, uint64_t total) {
    (void)context;
    fprintf(stderr, "verified %llu of %llu bytes%s", (unsigned long long)done, (unsigned long long)total,
            done == total ? "\n" : "\r");
    return 0;
}

/* A depth is not the number of plies to the end of the game. */
static void print_depth(int depth) {
    if (depth > 0) printf(", next capture, crowning or move of a man in %d", depth);
    if (depth == 0) printf(", no move");
}

static void probe(const egdb_database *database, const char *fen) {
    char error[256] = "", text[256] = "";
    egdb_position position;
    int lower, upper;
    if (egdb_read_fen(database, fen, &position, error, sizeof error) != 0) fail(fen, error);
    egdb_write_fen(database, position, text, sizeof text);
    if (egdb_bounds(database, position, &lower, &upper, error, sizeof error) != 0) fail(fen, error);
    printf("%s\t", text);
    print_bounds(lower, upper);
    int depth = egdb_depth(database, position, error, sizeof error);
    if (depth == EGDB_ERROR) fail(fen, error);
    print_depth(depth);
    int plies = egdb_plies(database, position, error, sizeof error);
    if (plies > 0) printf(", the end in %d plies", plies);
    printf("\n");

    egdb_move moves[128];
    int count = egdb_moves(database, position, moves, 128, error, sizeof error);
    if (count < 0) fail(fen, error);
    for (int n = 0; n < count && n < 128; n++) {
        printf("  %s\t", moves[n].name);
        print_bounds(moves[n].lower, moves[n].upper);
        print_depth(moves[n].depth);
        printf("\n");
    }
}

int main(int argc, char **argv) {
    char error[256] = "";
    egdb_identity identity;
    if (argc < 2) fail("usage", "probe DIRECTORY [FEN...]");
    int found = egdb_identify(argv[1], 0, 0, &identity, error, sizeof error);
    if (found != 1) fail(argv[1], found == 0 ? "no database here" : error);
    printf("%ux%u\tat most %u pieces (%s)\t%u slices, %llu bytes\troot %s\n", identity.rows, identity.columns,
           identity.pieces, identity.cover, identity.slices, (unsigned long long)identity.bytes, identity.root);
    if (argc == 2) {
        int verified = egdb_verify(argv[1], identity.rows, identity.columns, print_progress, NULL, error,
                                   sizeof error);
        if (verified != 0) fail(argv[1], error);
        return 0;
    }
    egdb_database *database = egdb_open(argv[1], identity.rows, identity.columns, 256 << 20, EGDB_MAPPED, error,
                                        sizeof error);
    if (database == NULL) fail(argv[1], error);
    for (int n = 2; n < argc; n++) probe(database, argv[n]);
    egdb_close(database);
    return 0;
}
