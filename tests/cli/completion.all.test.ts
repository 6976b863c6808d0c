import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { folderWith } from '../../packages/cli/test/harness/run-agentic.ts'
import { runHere } from '../../packages/cli/test/harness/run-here.ts'

/** A folder with the completion script of a shell and two files to complete. */
async function completing(shell: string): Promise<string> {
  const { code, stdout } = await runHere(['completion', shell])
  expect(code).toBe(0)
  const cwd = folderWith({ script: stdout, 'my gateway.yaml': '' })
  mkdirSync(join(cwd, 'my folder'))
  return cwd
}

/** Typed lines with the completions of their last word. */
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

testWith('bash', 'bash completes the commands and options of the table', async (bash) => {
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
})

testWith('fish', 'fish completes the commands and options of the table', async (fish) => {
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
    expect([line, sorted(words.map((word) => word.replaceAll('\\ ', ' ')))]).toEqual([line, sorted(expected)])
  }
})

// zsh completes only in a terminal, when the tab key is pressed. Its set-up is a file: typed text would be echoed and
// mistaken for output. The key that shows a line is no prefix of another binding, because zsh would wait for the rest.
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

testWith('zsh', 'zsh completes the commands and options of the table', async (zsh) => {
  const cwd = await completing('zsh')
  writeFileSync(join(cwd, 'setup'), zshSetup)
  // Words with one completion: the tab key inserts it.
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
})
