#!/bin/bash
# An inference on four nodes that goes on by itself until it is done. Submit it with
#   sbatch slurm.sh problem.toml runs/mine
#SBATCH --job-name=epsfree
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=32
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
# Two minutes before the time is up the program gets SIGTERM, saves and exits with 75.
#SBATCH --signal=TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append

problem=$1
directory=$2

srun epsfree run "$problem" --out "$directory"
code=$?

# 75: stopped, and resumable. The same command on the same directory goes on.
if [ "$code" -eq 75 ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
