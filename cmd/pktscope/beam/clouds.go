//go:build clouds

package main

import (
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs:// for staging
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"  // --runner=dataflow
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"     // --runner=flink
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"     // --runner=spark
)
