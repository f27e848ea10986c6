#!/bin/bash -eu
# Builds the harness for ClusterFuzzLite, with its seeds and its dictionary. It runs in the root of the repository, in the
# image of the Dockerfile beside it, which provides the compilers, their flags, WORK and OUT.
# Add your reader's sources to the line that compiles.
@COMPILE@
(cd fuzz/seeds && zip -jqr "$OUT/@NAME@_harness_seed_corpus.zip" .)
cp fuzz/@NAME@.dict "$OUT/@NAME@_harness.dict"
