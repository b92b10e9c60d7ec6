#!/bin/bash
# Builds a database as jobs of Slurm. In a directory that all machines see:
#
#   export SBATCH_OPTIONS="--mem=18G --time=600 --cpus-per-task=8"
#   build-database.sh --game 8x8 --pieces 7 --db /shared/egdb --threads 8 --memory 16GiB
#
# The arguments are those of `prove db build`, such as --store. This submits a job array for each
# number of pieces and of men, each after the one before, and a last job that makes one database of
# the slices. A task builds one slice and its twin, and leaves its tables to others (MAP= does not).
# `prove plan` says which memory a number of pieces takes. If jobs fail, run it again: what is
# finished ends at once. The variable PROVE names the program, if it is not `prove`.
#SBATCH --job-name=build-database
#SBATCH --output=%x-%j.log
set -euo pipefail
cover=$(sed -n 's/.*--pieces[ =]\([0-9,:]*\).*/\1/p' <<< "$*")

# Prints the slices of the cover with $1 pieces, of which $2 are men; one of each pair of twins.
slices() {
  local a b c d clause
  for a in $(seq "$2" -1 0); do
    for b in $(seq 0 $(($1 - $2))); do
      c=$(($2 - a)) d=$(($1 - $2 - b))
      [ $((a + b)) -gt 0 ] && [ $((c + d)) -gt 0 ] && [ $((100 * a + b)) -ge $((100 * c + d)) ] || continue
      for clause in ${cover//,/ }; do
        [ "$1" -le "${clause%:*}" ] && [ $((a + b)) -le "${clause#*:}" ] && [ $((c + d)) -le "${clause#*:}" ] || continue
        echo "$a-$b-$c-$d"
        break
      done
    done
  done
}

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  slice=$(slices "$1" "$2" | sed -n "${SLURM_ARRAY_TASK_ID}p")
  shift 2
  # shellcheck disable=SC2086 # no word or one
  exec "${PROVE:-prove}" db slice "$slice" "$@" ${MAP---map} --quiet
fi
if [ -n "${SLURM_JOB_ID:-}" ]; then
  exec "${PROVE:-prove}" db build "$@" --quiet
fi
after=
# Submits a job after the one before.
submit() {
  # shellcheck disable=SC2086 # words of options
  job=$(sbatch --parsable --kill-on-invalid-dep=yes $after ${SBATCH_OPTIONS:-} "$@")
  after=--dependency=afterok:${job%%;*}
}
for pieces in $(seq 2 "$(tr ',' '\n' <<< "$cover" | cut -d: -f1 | sort -n | tail -1)"); do
  for men in $(seq 0 "$pieces"); do
    tasks=$(slices "$pieces" "$men" | wc -l)
    [ "$tasks" -gt 0 ] || continue
    submit --array=1-"$tasks" "$0" "$pieces" "$men" "$@"
    echo "$pieces pieces, $men men: $tasks tasks, job ${job%%;*}"
  done
done
submit "$0" "$@"
echo "finish: job ${job%%;*}"
