/* What the ring's bench itself asks of NCCL. */
int ncclGetVersion(int *version);
