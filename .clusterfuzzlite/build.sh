#!/bin/bash -eu
# What ClusterFuzzLite builds is what OSS-Fuzz builds.
exec bash -eu fuzz/ossfuzz/build.sh
