// Verifies a sealed audit log with the libraries of Go's checksum database, which know nothing of this repository.
//
// Usage: verify VKEY LOG CHECKPOINTS PROOF CONSISTENCY
package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type head struct {
	size int64
	root tlog.Hash
}

func main() {
	verifier := must(note.NewVerifier(os.Args[1]))
	stored := tree(strings.Split(strings.TrimSuffix(read(os.Args[2]), "\n"), "\n"))
	parts := strings.Split(strings.TrimSuffix(read(os.Args[3]), "\n"), "\n\n")
	heads := map[int64]head{}
	for n := 0; n+1 < len(parts); n += 2 {
		next := open(parts[n]+"\n\n"+parts[n+1]+"\n", verifier)
		if root := must(tlog.TreeHash(next.size, stored)); root != next.root {
			fail("the checkpoint of %d lines has another root", next.size)
		}
		heads[next.size] = next
	}
	text, checkpoint, _ := strings.Cut(read(os.Args[4]), "\n\n")
	lines := strings.Split(text, "\n")
	line := must(base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra ")))
	index := must(strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64))
	sealed := open(checkpoint, verifier)
	check(tlog.CheckRecord(hashes(lines[3:]), sealed.size, sealed.root, index, tlog.RecordHash(line)))
	steps := strings.Split(strings.TrimSuffix(read(os.Args[5]), "\n"), "\n")
	former, later := heads[number(steps[0])], heads[number(steps[1])]
	check(tlog.CheckTree(hashes(steps[2:]), later.size, later.root, former.size, former.root))
	fmt.Printf("%d checkpoints, line %d\n", len(heads), index)
}

func tree(lines []string) tlog.HashReaderFunc {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for n, index := range indexes {
			found[n] = stored[index]
		}
		return found, nil
	})
	for n, line := range lines {
		stored = append(stored, must(tlog.StoredHashes(int64(n), []byte(line), reader))...)
	}
	return reader
}

func open(text string, verifier note.Verifier) head {
	opened := must(note.Open([]byte(text), note.VerifierList(verifier)))
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != verifier.Name() {
		fail("the origin is %q", lines[0])
	}
	return head{number(lines[1]), must(tlog.ParseHash(lines[2]))}
}

func hashes(lines []string) (parsed []tlog.Hash) {
	for _, line := range lines {
		parsed = append(parsed, must(tlog.ParseHash(line)))
	}
	return parsed
}

func number(text string) int64 { return must(strconv.ParseInt(text, 10, 64)) }
func read(file string) string  { return string(must(os.ReadFile(file))) }

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
