package clusterfuzzlite_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz/harness/clusterfuzzlite"
)

func Example() {
	d, err := protocols.Load("rtype")
	if err != nil {
		log.Fatal(err)
	}
	files, err := clusterfuzzlite.Files(d, "cpp", "-p rtype")
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name, "fuzz/seeds/") {
			fmt.Println(f.Name)
		}
	}
	// Output:
	// .clusterfuzzlite/Dockerfile
	// .clusterfuzzlite/build.sh
	// .clusterfuzzlite/project.yaml
	// .github/workflows/cflite_batch.yml
	// .github/workflows/cflite_pr.yml
	// fuzz/rtype.dict
	// fuzz/rtype_harness.cpp
}
