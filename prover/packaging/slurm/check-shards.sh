#!/bin/bash
# Checks a certificate or a database in shards, each a task of a job array of Slurm, and merges
# their notes. In a new directory that all machines see:
#
#   jobs=$(sbatch --parsable --array=1-200 --mem=18G check-shards.sh CERT --db EGDB --memory 16GiB)
#   sbatch --dependency=afterok:$jobs --kill-on-invalid-dep=yes check-shards.sh CERT
#
# The first takes the arguments of `check`, for example `--game 8x8 --pieces 6` instead of CERT,
# --tables or --key. The second takes those of `check merge`, for example --keys; the file `verdict`
# has its verdict. A task takes the memory of --memory, 256 MiB, 256 MiB for each of --threads, and
# four times the certificate. If tasks fail, run both again: a shard that has a note ends at once.
# The variable CHECK names the program, if it is not `check`.
#SBATCH --job-name=check-shards
#SBATCH --output=%x-%j.log
set -euo pipefail
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  shard=$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
  note=notes/${shard/\//-of-}.note
  mkdir -p notes
  # The note is written last and whole, whatever the verdict is; merging tells the verdict.
  [ -e "$note" ] || "${CHECK:-check}" "$@" --quiet --shard "$shard" --attest "$note" || true
  [ -e "$note" ]
  exit
fi
status=0
"${CHECK:-check}" merge "$@" notes/*.note > verdict.unfinished || status=$?
mv verdict.unfinished verdict
cat verdict
exit $status
