import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../tools/packed-packages.ts'
import { temporaryTree } from '../../tools/temporary-tree.ts'
import { testWithPython } from './python-programs.ts'

const folder = join(repositoryRoot, 'deploy/image')
const files = readdirSync(folder)

/** The instructions of the last stage, without continued lines. */
function lastStage(file: string): string[] {
  const text = readFileSync(join(folder, file), 'utf8').replaceAll('\\\n', ' ')
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line))
  return lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
}

test('both images run the same program, without root and with a health check', () => {
  expect(files).toEqual(['Containerfile', 'Containerfile.scratch'])
  const [first, second] = files.map((file) =>
    lastStage(file).filter((line) => /^(USER|WORKDIR|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD|LABEL)\b/.test(line)),
  )
  expect(second).toEqual(first)
  expect(first).toContain('USER 65532:65532')
  expect(first?.find((line) => line.startsWith('HEALTHCHECK'))).toMatch(/CMD \["agentic", "health"\]$/)
})

test('the build gets the files that it copies, and no others of the repository', () => {
  const text = readFileSync(join(folder, 'Containerfile'), 'utf8')
  const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  )
  const ignored = readFileSync(join(repositoryRoot, '.dockerignore'), 'utf8').split('\n')
  const given = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  expect(ignored).toContain('*')
  expect(copied).toContain('LICENSE')
  expect(copied.filter((source) => !given.some((each) => `${source}/`.startsWith(`${each}/`)))).toEqual([])
  expect(given.filter((each) => !copied.some((source) => `${source}/`.startsWith(`${each}/`)))).toEqual([])
})

testWithPython(
  'hadolint',
  'hadolint has nothing to say about the container files, and does about a bad one',
  (run) => {
    expect(run(files.map((file) => join(folder, file)))).toEqual({ status: 0, output: '' })
    const bad = temporaryTree({ Containerfile: 'FROM debian\nRUN cd /tmp && apt-get install curl\n' })
    const { status, output } = run([join(bad, 'Containerfile')])
    expect(status).not.toBe(0)
    expect(output).toContain('DL3008')
  },
)
