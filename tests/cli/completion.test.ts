import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { folderWith } from '../../packages/cli/test/harness/run-agentic.ts'
import { runHere } from '../../packages/cli/test/harness/run-here.ts'
import { testWithProgram } from '../debian-package.ts'

/** A folder with the script of a shell and two things to complete. */
async function completing(shell: string): Promise<string> {
  const { code, stdout } = await runHere(['completion', shell])
  expect(code).toBe(0)
  const cwd = folderWith({ script: stdout, 'my gateway.yaml': '' })
  mkdirSync(join(cwd, 'my folder'))
  return cwd
}

/** Each line as typed, with what may stand in place of its last word. */
const lines: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['agentic ch', ['check']],
  ['agentic comple', ['completion']],
  ['agentic help rou', ['routes']],
  ['agentic check --st', ['--strict']],
  ['agentic check x --format s', ['sarif']],
  ['agentic start --log-level ', ['debug', 'info', 'warn', 'error', 'silent']],
  ['agentic start -c my', ['my folder', 'my gateway.yaml']],
  ['agentic check my', ['my folder', 'my gateway.yaml']],
  ['agentic completion ', ['bash', 'zsh', 'fish']],
  ['agentic call GET /x --idem', ['--idempotency-key']],
  ['agentic call GET /x --tenant ', []],
  ['agentic nothing ', []],
]

function sorted(words: readonly string[]): string[] {
  return words.map((word) => word.replace(/\/$/, '')).toSorted()
}

testWithProgram(
  { program: 'bash', package: 'bash' },
  'bash completes what the table of commands has',
  async (bash) => {
    const cwd = await completing('bash')
    const program = `set -u; source ./script
for line in "$@"; do
  COMPREPLY=(); eval "COMP_WORDS=($line)"; [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _agentic
  ((\${#COMPREPLY[@]})) && printf '%s\\t' "\${COMPREPLY[@]}"; echo
done`
    const typed = [
      ...lines,
      ['agentic check x --format = j', ['json']],
      ['agentic start --config = my', ['my folder', 'my gateway.yaml']],
    ] as typeof lines
    const output = execFileSync(bash, ['--norc', '-c', program, 'bash', ...typed.map(([line]) => line)], {
      cwd,
      encoding: 'utf8',
    })
    const offered = output.split('\n').map((row) => row.split('\t').filter((word) => word !== ''))
    for (const [index, [line, expected]] of typed.entries())
      expect([line, sorted(offered[index] ?? [])]).toEqual([line, sorted(expected)])
  },
)

testWithProgram(
  { program: 'fish', package: 'fish' },
  'fish completes what the table of commands has',
  async (fish) => {
    const cwd = await completing('fish')
    const program = 'source ./script; for line in $argv; echo "> $line"; complete -C $line; end'
    const output = execFileSync(fish, ['--no-config', '-c', program, ...lines.map(([line]) => line)], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: cwd },
    })
    for (const [line, expected] of lines) {
      const [, rest = ''] = output.split(`> ${line}\n`)
      const offered = rest.split('\n> ')[0]?.split('\n') ?? []
      const words = offered
        .map((row) => row.split('\t')[0] ?? '')
        .filter((word) => word !== '' && !word.startsWith('> '))
      expect([line, sorted(words.map((word) => word.replaceAll('\\ ', ' ')))]).toEqual([
        line,
        sorted(expected),
      ])
    }
  },
)

// A terminal of its own for zsh, which completes only where somebody presses the tabulator. What sets it
// up is a file: typed, its text would be echoed and taken for what it prints. The key that shows a line
// begins no other binding, because zsh would wait for the rest of that one.
const zshSetup = `TERM=dumb; stty -echo; autoload -Uz compinit; compinit -u -D; source ./script
show() { print -rl -- "<$BUFFER>"; BUFFER=; zle accept-line }
zle -N show; bindkey "^T" show; PROMPT='(at the prompt)'`

const zshProgram = `zmodload zsh/zpty
zpty -b shell zsh -f -i
read_until() { local text= part=; for i in {1..1000}; do while zpty -rt shell part; do text+=$part; done; [[ $text == *$~1* ]] && break; sleep 0.02; done; print -r -- $text }
zpty -w shell 'source ./setup'
read_until '[(]at the prompt[)]' >/dev/null
for line in "$@"; do
  zpty -w -n shell "$line"$'\t'$'\x14'
  read_until '<*>*[(]at the prompt[)]'
done
zpty -d shell`

testWithProgram(
  { program: 'zsh', package: 'zsh' },
  'zsh completes what the table of commands has',
  async (zsh) => {
    const cwd = await completing('zsh')
    writeFileSync(join(cwd, 'setup'), zshSetup)
    // Those with one possible ending: the tabulator writes it.
    const single = lines.filter(([, offered]) => offered.length === 1)
    const output = execFileSync(zsh, ['-f', '-c', zshProgram, 'zsh', ...single.map(([line]) => line)], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: cwd },
    })
    const completed = [...output.matchAll(/<(agentic [^>]*)>/g)].map(([, line = '']) =>
      line.replace(/[ =]$/, ''),
    )
    expect(completed).toEqual(single.map(([line, [word]]) => line.replace(/\S+$/, String(word))))
  },
)
