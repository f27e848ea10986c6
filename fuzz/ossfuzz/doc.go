// Package ossfuzz has the native targets of the entries in fuzz/selffuzz, one for each hostile surface, and what
// OSS-Fuzz needs to build them for libFuzzer: build.sh, project.yaml, Dockerfile, dictionaries. README.md lists the
// surfaces.
//
// A target takes one []byte and needs nothing from other test files, so that both engines can build it. libFuzzer calls
// the whole target anew for each input: what is expensive is made once.
package ossfuzz
