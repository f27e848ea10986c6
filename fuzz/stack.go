package fuzz

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Frame is a call in the stack of a crash, as the target's report names it. All of it is a stranger's text.
type Frame struct {
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"` // as the compiler named it; "" where the report does not say
	Line     int    `json:"line,omitempty"` // from 1; 0 where the report does not say
}

// String is the frame in a few words, without the directories of its file, which are another on each machine.
func (f Frame) String() string {
	switch file := path.Base(strings.ReplaceAll(f.File, `\`, "/")); {
	case f.File == "":
		return f.Function
	case f.Function == "":
		return file + ":" + strconv.Itoa(f.Line)
	default:
		return f.Function + ", " + file + ":" + strconv.Itoa(f.Line)
	}
}

// The bounds of a stack. A report is a stranger's text, and a recursion's has thousands of frames.
const (
	MaxFrames    = 32
	MaxFrameText = 512 // bytes of a function's name, and of a file's
	MaxFrameLine = 1 << 30
	maxStackLine = 4 << 10
)

// Stack is what the report of a crash says of where it happened.
type stack struct {
	Frames []Frame // of the reader, the innermost first: not those of sanitizers, of libraries, of Go's runtime, of a harness
	Write  bool    // to memory that is not the reader's; false of all else that a reader may die of
	deep   bool    // the stack itself was too large: a recursion
}

// ParseStack finds the stack in a report: that of a sanitizer (AddressSanitizer and its relatives), of Go, of Rust, of
// .NET, or the place that an undefined behaviour, an assertion or a panic of Rust names. Frames without names, which
// reports have when nobody looked them up, are left out. No frame at all is a report that has none.
func parseStack(report string) stack {
	var s stack
	var all []Frame // also those that are not the reader's
	var place Frame // of a report that may have no stack
	lines := strings.Split(report, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r")
		if len(line) > maxStackLine {
			continue
		}
		switch text := strings.TrimSpace(line); {
		case strings.HasPrefix(text, "#0 "):
			if all = sanitizerFrames(lines[i:]); len(all) > 0 {
				i = len(lines)
			}
		case strings.HasPrefix(text, "goroutine ") && strings.HasSuffix(text, "]:"):
			if all = goFrames(lines[i+1:]); len(all) > 0 {
				i = len(lines)
			}
		case text == "stack backtrace:":
			if all = rustFrames(lines[i+1:]); len(all) > 0 {
				i = len(lines)
			}
		case strings.HasPrefix(text, "at ") && len(all) == 0:
			all = netFrames(lines[i:])
		case strings.HasPrefix(text, "WRITE of size "), strings.HasPrefix(text, "Write of size "), strings.Contains(text, "caused by a WRITE memory access"):
			s.Write = true
		case strings.Contains(text, ": runtime error: store to "):
			s.Write = true
			place = placeOfLine(text)
		case strings.Contains(text, "Sanitizer: stack-overflow"), text == "fatal error: stack overflow":
			s.deep = true
		case place.File == "":
			place = placeOfLine(text)
		}
	}
	if len(all) == 0 && place.File != "" {
		all = []Frame{place}
	}
	s.Frames = readersFrames(all)
	return s
}

const calledBy = ", called by "

// Place names the place of a crash; it is the same for crashes of one mistake, as far as a stack tells. "" is that of a
// report without one. A read is the mistake of the line that reads. A line that writes may be given its memory and its
// size by whoever calls it, so the calling function is named, too: a copy that two functions call is the mistake of
// each. Of a recursion that has no end, which of its lines came last is chance.
func (s *stack) Place() string {
	if len(s.Frames) == 0 {
		return ""
	}
	at := s.Frames[0]
	switch {
	case s.deep:
		name := at.Function
		for i, f := range s.Frames {
			again := slices.ContainsFunc(s.Frames[i+1:], func(o Frame) bool { return o.Function == f.Function })
			if again && f.Function < name {
				name = f.Function
			}
		}
		return name + ", a recursion"
	case s.Write && len(s.Frames) > 1 && s.Frames[1].Function != "":
		return at.String() + calledBy + s.Frames[1].Function
	}
	return at.String()
}

// sanitizerFrames reads `#0 0x55d3 in copy /tmp/reader.c:14:3` and those after it; ThreadSanitizer leaves the address
// out.
func sanitizerFrames(lines []string) (frames []Frame) {
	for i, line := range lines {
		number, text, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || len(line) > maxStackLine || number != "#"+strconv.Itoa(i) { // also what another process wrote between
			break
		}
		if strings.HasPrefix(text, "0x") {
			_, named, ok := strings.Cut(text, " in ")
			if !ok {
				continue
			}
			text = named
		}
		text, _, _ = strings.Cut(text, " (BuildId: ")
		module := ""
		if at := strings.LastIndex(text, " ("); at >= 0 && strings.HasSuffix(text, ")") && strings.Contains(text[at:], "+0x") {
			text, module = text[:at], text[at+2:len(text)-1]
		}
		f := Frame{Function: text}
		if file, line, before := fileAtEnd(text); line > 0 {
			f = Frame{strings.TrimSpace(before), file, line}
		}
		if f.Function != "<null>" && f.sound() && !ofLibrary(f, module) {
			frames = append(frames, f)
		}
	}
	return frames
}

// fileAtEnd cuts `/tmp/reader.c:14:3` off a text. The file begins at the last blank before a slash, or else at the
// last.
func fileAtEnd(text string) (file string, line int, before string) {
	rest, last := numberAtEnd(text)
	if last == 0 {
		return "", 0, text
	}
	if shorter, n := numberAtEnd(rest); n > 0 { // what came last is the column
		rest, last = shorter, n
	}
	at := strings.LastIndex(rest, " /")
	if at < 0 {
		at = strings.LastIndexByte(rest, ' ')
	}
	return rest[at+1:], last, rest[:max(at, 0)]
}

// numberAtEnd cuts `:14` off a text; 0 is none.
func numberAtEnd(text string) (rest string, n int) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 {
		return text, 0
	}
	n, err := strconv.Atoi(text[at+1:])
	if err != nil || n < 1 || n > MaxFrameLine {
		return text, 0
	}
	return text[:at], n
}

// goFrames reads the calls of a goroutine: a line for the function, and one for its place.
func goFrames(lines []string) (frames []Frame) {
	for i := 0; i+1 < len(lines); i += 2 {
		call, place := strings.TrimRight(lines[i], "\r"), strings.TrimSpace(lines[i+1])
		if strings.HasPrefix(call, "created by ") || strings.HasPrefix(call, "\t") || !strings.HasPrefix(lines[i+1], "\t") || len(call)+len(place) > maxStackLine {
			break
		}
		if at := strings.LastIndexByte(call, '('); at > 0 {
			call = call[:at]
		}
		place, _, _ = strings.Cut(place, " +0x")
		file, line := numberAtEnd(place)
		f := Frame{call, file, line}
		switch {
		case call == "panic":
			frames = nil // those above it are deferred calls, which recover or panic once more
		case line > 0 && f.sound() && !ofGo(f):
			frames = append(frames, f)
		}
	}
	return frames
}

// rustFrames reads the calls of a panic of Rust: a line for the function, `3: harness::take`, and one for its place,
// `at src/reader.rs:33:9`.
func rustFrames(lines []string) (frames []Frame) {
	for i := 0; i < len(lines); i++ {
		number, function, ok := strings.Cut(strings.TrimSpace(lines[i]), ": ")
		if _, err := strconv.Atoi(number); !ok || err != nil || len(lines[i]) > maxStackLine {
			break
		}
		f := Frame{Function: function}
		if i+1 < len(lines) && len(lines[i+1]) <= maxStackLine {
			if at, ok := strings.CutPrefix(strings.TrimSpace(lines[i+1]), "at "); ok {
				f.File, f.Line, _ = fileAtEnd(" " + at)
				i++
			}
		}
		if function == "main" || strings.HasSuffix(function, "::main") {
			break
		}
		if f.sound() && !ofLibrary(f, "") && !rustsOwn.MatchString(function) {
			frames = append(frames, f)
		}
	}
	return frames
}

// rustsOwn are functions of Rust's own libraries; <T as core::fmt::Display>::fmt of a reader's type is the reader's.
var rustsOwn = regexp.MustCompile(`^(core|std|alloc|hashbrown|__rustc|rust_begin_unwind|<(core|std|alloc|([&\[\]; ]|mut|str|bool|char|[TI]|[iu](8|16|32|64|128|size))+ as (core|std|alloc)))\b`)

// netFrames reads the calls of an exception: of .NET, `at Reader.Take(Byte[] data) in /home/me/reader.cs:line 14`, of
// Mono, `at Reader.Take (System.Byte[] data) [0x00001] in /home/me/reader.cs:14`, of JavaScript, `at take
// (/home/me/reader.js:14:3)` or `at /home/me/reader.js:14:3`, and of Java, `at game.Reader.take(Reader.java:14)`.
func netFrames(lines []string) (frames []Frame) {
	for _, line := range lines {
		call, ok := strings.CutPrefix(strings.TrimSpace(line), "at ")
		if !ok || len(line) > maxStackLine {
			break
		}
		f := Frame{}
		if at := strings.LastIndex(call, " in "); at >= 0 {
			f.File, f.Line = numberAtEnd(strings.Replace(call[at+len(" in "):], ":line ", ":", 1))
			call = call[:at]
		}
		if f.Line == 0 {
			f.File = "" // <hash>:0 of Mono
		}
		named, place, _ := strings.Cut(call, "(")
		if file, line, _ := fileAtEnd(" " + strings.TrimSuffix(place, ")")); line > 0 && f.Line == 0 {
			f.File, f.Line = file, line
		} else if file, line, _ := fileAtEnd(" " + call); place == "" && line > 0 { // of a function without a name
			named, f.File, f.Line = "", file, line
		}
		f.Function = strings.TrimSpace(named)
		if f.sound() && !virtualMachines.MatchString(f.Function) && !virtualMachines.MatchString(f.File) && place != "<anonymous>)" {
			frames = append(frames, f)
		}
	}
	return frames
}

// virtualMachines are the functions and files of .NET, of Mono, of Java, of Node, of Deno and of Bun.
var virtualMachines = regexp.MustCompile(`^(System\.|Microsoft\.|Interop\.|Internal\.|\(wrapper |(java|jdk|sun)\.|kotlin\.|(node|ext|deno|bun|native):|internal/|native$)`)

// placeOfLine finds the place in a line that names one by itself.
func placeOfLine(text string) Frame {
	f := Frame{}
	if at, _, ok := strings.Cut(text, ": runtime error: "); ok { // UndefinedBehaviorSanitizer
		f.File, f.Line, _ = fileAtEnd(at)
	} else if _, at, ok := strings.Cut(text, " panicked at "); ok { // Rust
		f.File, f.Line, _ = fileAtEnd(strings.TrimSuffix(at, ":"))
	} else if at, _, ok := strings.Cut(text, ": Assertion `"); ok { // program: reader.c:14: function: Assertion `n < 4' failed.
		if cut := strings.LastIndex(at, ": "); cut >= 0 {
			f.File, f.Line, _ = fileAtEnd(at[:cut])
			f.Function = at[cut+2:]
		}
	}
	if f.Line == 0 || !f.sound() || ofLibrary(f, "") {
		return Frame{}
	}
	return f
}

// sound refuses names that no compiler gives, and that a terminal would obey.
func (f *Frame) sound() bool {
	for _, text := range []string{f.Function, f.File} {
		if len(text) > MaxFrameText || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return false
		}
	}
	return f.Function != "" || f.File != ""
}

// readersFrames leaves out the harness around the reader, if anything is left then.
func readersFrames(all []Frame) []Frame {
	all = all[:min(len(all), MaxFrames)]
	for i, f := range all {
		harness := strings.HasPrefix(f.Function, "pks_") || strings.HasPrefix(f.Function, "fuzzer::")
		switch f.Function {
		case "main", "main.main", "LLVMFuzzerTestOneInput", "_start", "Harness.Main":
			harness = true
		}
		if harness && i > 0 {
			return all[:i]
		}
	}
	return all
}

// Beginnings of what is before the reader's own frames, where the mistake shows and is not.
var (
	libraryFunctions = []string{"__", "_Unwind", "std::", "operator new", "operator delete", "_start"}
	libraryFiles     = []string{"/libsanitizer/", "/compiler-rt/", "/sanitizer_common/", "/sysdeps/", "/csu/", "/usr/include/", "/bits/", "/nptl/", "/libstdc++", "/include/c++/", "/rustc/",
		"/rustlib/src/"}
	libraries = []string{"libasan", "libubsan", "libtsan", "libmsan", "liblsan", "libclang_rt", "libc.", "libc-", "libc++", "libstdc++", "libgcc_s", "libpthread",
		"libm.", "libm-", "ld-", "linux-vdso"}
	// What a sanitizer that is linked in replaces has no file; neither have these where libc has them.
	libcFunctions = []string{"malloc", "calloc", "realloc", "reallocarray", "free", "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strnlen", "strcpy", "strncpy",
		"strcat", "strncat", "strcmp", "strncmp", "strdup", "strndup", "printf", "fprintf", "sprintf", "snprintf", "vsnprintf", "read", "write", "recv", "recvfrom", "send", "sendto",
		"start_thread", "clone"}
	// These end a program, and libc's debug information may name their files.
	ends = []string{"abort", "raise", "gsignal"}
	// The files of libc are relative to where it was built: stdlib/./stdlib/abort.c, ./malloc/malloc.c.
	libcFiles = regexp.MustCompile(`^(\./)?([a-z-]+/\.\.?/|src_musl/|(malloc|stdlib|stdio-common|libio|nptl|elf|debug)/[\w-]+\.[chS]$)`)
)

// ofLibrary reports whether a frame is none of the reader's, in C and C++.
func ofLibrary(f Frame, module string) bool {
	begins := func(text string, list []string) bool {
		return slices.ContainsFunc(list, func(one string) bool { return strings.HasPrefix(text, one) })
	}
	return begins(f.Function, libraryFunctions) || slices.Contains(ends, f.Function) || module != "" && begins(path.Base(module), libraries) ||
		(f.File == "" || libcFiles.MatchString(f.File)) && slices.Contains(libcFunctions, f.Function) ||
		slices.ContainsFunc(libraryFiles, func(one string) bool { return strings.Contains(f.File, one) })
}

// goRoots are the directories of Go's standard library.
var goRoots = strings.Fields(`archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html image
	index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text time
	unicode unique unsafe vendor weak`)

// ofGo reports whether a frame is Go's own: of a function whose package is in the standard library, in a file that is.
func ofGo(f Frame) bool {
	dir := path.Dir(f.File)
	function, _, _ := strings.Cut(f.Function, "[") // what a generic one is made for may have a slash
	name := path.Base(function)                    // of littleEndian.Uint32 in encoding/binary: binary.littleEndian.Uint32
	pkg, _, _ := strings.Cut(name, ".")
	if parent := path.Dir(function); parent != "." {
		pkg = parent + "/" + pkg
	}
	root, _, _ := strings.Cut(pkg, "/")
	return slices.Contains(goRoots, root) && (dir == pkg || strings.HasSuffix(dir, "/src/"+pkg))
}
