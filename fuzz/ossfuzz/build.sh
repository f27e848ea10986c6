#!/bin/bash -eu
# Copyright 2026 The pktscope authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#      http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
################################################################################
# Builds every target of this directory for OSS-Fuzz: a libFuzzer binary each, its seeds, its dictionary. It runs in the
# image of the Dockerfile beside it, which provides SRC, OUT and compile_native_go_fuzzer_v2; TestBuild runs it without them.
cd "$SRC/pktscope"

# The builder overlays a file of GOROOT, which must not lie in the read-only module cache, where a toolchain does that was
# fetched because go.mod asks for a newer one than the image has.
goroot=$(go env GOROOT)
case $goroot in
"$(go env GOMODCACHE)"/*)
  writable=$(mktemp -d)
  cp -r "$goroot/." "$writable"
  chmod -R u+w "$writable"
  export GOROOT=$writable PATH="$writable/bin:$PATH" GOTOOLCHAIN=local
  ;;
esac

PKTSCOPE_SEED_ZIPS=$OUT go test -count=1 -run '^TestWriteSeeds$' ./fuzz/ossfuzz

# target FUNCTION BINARY [DICTIONARY]
target() {
  compile_native_go_fuzzer_v2 github.com/pktscope/pktscope/fuzz/ossfuzz "$1" "$2"
  if [ $# -eq 3 ]; then
    cp "fuzz/ossfuzz/$3.dict" "$OUT/$2.dict"
  fi
}

target FuzzCapture fuzz_capture capture
target FuzzCompressed fuzz_compressed capture
target FuzzLayers fuzz_layers capture
target FuzzReassembly fuzz_reassembly
target FuzzWire fuzz_wire
target FuzzSchema fuzz_schema pks
target FuzzRType fuzz_rtype
target FuzzPackets fuzz_packets
target FuzzGaffer fuzz_gaffer
target FuzzCourse fuzz_course
target FuzzRoundTrip fuzz_roundtrip
target FuzzAnySchema fuzz_anyschema
target FuzzFilter fuzz_filter filter
target FuzzSelector fuzz_selector filter
target FuzzSeedFile fuzz_seedfile seedfile
target FuzzRender fuzz_render
