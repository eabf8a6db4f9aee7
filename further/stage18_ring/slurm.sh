#!/bin/sh
#SBATCH --job-name=ring
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-node=8
#SBATCH --cpus-per-task=8
#SBATCH --time=00:20:00
#SBATCH --export=ALL
cd "$SLURM_SUBMIT_DIR" || exit
LAUNCHER="srun --mpi=pmix" make stage18 bench SHAPES="1,8,1048576,128,causal"
