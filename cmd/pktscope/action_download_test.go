package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeGH has the releases in RELEASES, and verifies what checksums.txt does not name: the script's own check is tested.
const fakeGH = `#!/bin/bash
set -eu
echo "$*" >>"$RELEASES/calls"
case "$1 $2" in
"release view") echo v1.2.3 ;;
"release download")
  [ "$3" = v1.2.3 ] || exit 1
  while [ $# -gt 0 ]; do
    case $1 in -p) files+=("$2"); shift ;; -D) dir=$2; shift ;; esac
    shift
  done
  mkdir -p "$dir"
  for file in "${files[@]}"; do cp "$RELEASES/$file" "$dir/"; done ;;
"attestation verify") [ -f "$3" ] ;;
*) exit 1 ;;
esac
`

// The action's download step fetches the release for its runner, and stops where the archive is not the one of
// checksums.txt, or is not named there.
func TestActionDownload(t *testing.T) {
	for _, tool := range []string{"bash", "tar", "sha256sum", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	var action struct{ Runs struct{ Steps []step } }
	readYAML(t, "../../action.yml", &action)
	download := action.Runs.Steps[0]
	if download.Name != "download" || download.If != "inputs.binary == ''" {
		t.Fatalf("the first step is %s", download.Name)
	}
	for name, sum := range map[string]func(archive []byte) string{
		"right": func(archive []byte) string {
			return fmt.Sprintf("%064x  pktscope_1.2.3_darwin_arm64.tar.gz\n%x  pktscope_1.2.3_linux_amd64.tar.gz\n", 0, sha256.Sum256(archive))
		},
		"another": func([]byte) string { return fmt.Sprintf("%064x  pktscope_1.2.3_linux_amd64.tar.gz\n", 0) },
		"not named": func(archive []byte) string {
			return fmt.Sprintf("%x  pktscope_1.2.3_linux_arm64.tar.gz\n", sha256.Sum256(archive))
		},
	} {
		dir := t.TempDir()
		put := func(file, text string) {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		put("gh", fakeGH)
		put("pktscope", "#!/bin/sh\necho the release\n")
		const archive = "pktscope_1.2.3_linux_amd64.tar.gz"
		if out, err := exec.Command("tar", "-czf", filepath.Join(dir, archive), "-C", dir, "pktscope").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		packed, err := os.ReadFile(filepath.Join(dir, archive))
		if err != nil {
			t.Fatal(err)
		}
		put("checksums.txt", sum(packed))
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", download.Run)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "RELEASES="+dir, "VERSION=latest", "RUNNER_ARCH=X64", "RUNNER_OS=Linux",
			"RUNNER_TEMP="+filepath.Join(dir, "temp"), "GITHUB_PATH="+filepath.Join(dir, "path"))
		out, err := cmd.CombinedOutput()
		path, _ := os.ReadFile(filepath.Join(dir, "path"))
		calls, _ := os.ReadFile(filepath.Join(dir, "calls"))
		if name != "right" {
			if err == nil || len(path) > 0 || strings.Contains(string(calls), "attestation") {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
			continue
		}
		said, ran := exec.Command(filepath.Join(strings.TrimSpace(string(path)), "pktscope")).Output()
		if err != nil || ran != nil || string(said) != "the release\n" || !strings.Contains(string(calls), "attestation verify "+archive+" -R pktscope/pktscope\n") {
			t.Errorf("%s: %v %v\n%s\n%s", name, err, ran, out, calls)
		}
	}
}
