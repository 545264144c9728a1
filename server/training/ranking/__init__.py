"""Ranking: talks and notes of our own made into memories, and what each weight of `recall.fuse` is worth on them."""
