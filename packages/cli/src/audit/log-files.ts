import { existsSync, readFileSync, statSync } from 'node:fs'
import {
  type CheckpointFile,
  createNoteVerifier,
  currentFile,
  formatProof,
  isProof,
  type LogReport,
  logFiles,
  type NoteVerifier,
  parseProof,
  proofFault,
  proveLines,
  verifyLog,
} from '@agentic-rest/audit-log'
import { exitCodes, type Host } from '../host.ts'
import { jsonText, terminalLine } from '../terminal-text.ts'

interface LogOptions {
  readonly files: readonly string[]
  readonly key: string
  readonly checkpoints: string | undefined
}

/** A file or key that the command line names and that cannot be used. */
class UnusableError extends Error {}

const PROOF_BYTES = 64
const SHOWN_FAULTS = 100

/** Verifies a log, or files with proofs. */
export async function verify(
  options: LogOptions & {
    readonly head: string | undefined
    readonly anchor: string | undefined
    readonly json: boolean
  },
  host: Host,
): Promise<number> {
  return await telling('verify', host, async () => {
    const verifier = verifierOf(options.key)
    if (options.files.every(isProofFile)) return verifyProofs(options.files, verifier, host)
    const anchors = options.anchor === undefined ? [] : [readCheckpoints(options.anchor)]
    const checkpoints = [...ownCheckpoints(options), ...heads(options), ...anchors]
    for (const file of options.files) assertReadable(file)
    const report = await verifyLog({ files: options.files, verifier, checkpoints })
    const isProven = report.faults.length === 0 && report.matching > 0
    host.stdout.write(
      options.json ? `${jsonText({ ok: isProven, ...report })}\n` : describe(report, options.anchor),
    )
    return isProven ? exitCodes.ok : exitCodes.failed
  })
}

/** Prints the proofs of the records of a request. */
export async function prove(
  options: LogOptions & { readonly requestId: string },
  host: Host,
): Promise<number> {
  return await telling('prove', host, async () => {
    const verifier = verifierOf(options.key)
    for (const file of options.files) assertReadable(file)
    const { files, requestId } = options
    const result = await proveLines({ files, requestId, verifier, checkpoints: ownCheckpoints(options) })
    if (!result.ok) {
      host.stderr.write(`agentic audit prove: ${result.reason}\n`)
      return exitCodes.failed
    }
    host.stdout.write(result.proofs.map(formatProof).join('\n'))
    return exitCodes.ok
  })
}

async function telling(action: string, host: Host, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UnusableError)) throw error
    host.stderr.write(`agentic audit ${action}: ${terminalLine(error.message)}\n`)
    return exitCodes.invalid
  }
}

function verifierOf(key: string): NoteVerifier {
  try {
    return createNoteVerifier(key)
  } catch (error) {
    throw new UnusableError(`--key: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The checkpoints beside the files, unless others are named. */
function ownCheckpoints({ files, checkpoints }: LogOptions): CheckpointFile[] {
  if (checkpoints !== undefined) return [readCheckpoints(checkpoints)]
  const beside = new Set(files.map((file) => logFiles(currentFile(file)).checkpoints))
  return [...beside].map(readCheckpoints)
}

/** The head file that is named, or the one beside the files; logs of older versions have none. */
function heads({ files, head }: Pick<LogOptions, 'files'> & { readonly head: string | undefined }) {
  if (head !== undefined) return [readCheckpoints(head)]
  const beside = new Set(files.map((file) => logFiles(currentFile(file)).head))
  return [...beside].filter((file) => existsSync(file)).map(readCheckpoints)
}

function readCheckpoints(file: string): CheckpointFile {
  return { file, content: readText(file) }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unreadable(file, error)
  }
}

function assertReadable(file: string): void {
  try {
    if (!statSync(file).isFile()) throw new UnusableError(`${file} is not a file`)
  } catch (error) {
    throw error instanceof UnusableError ? error : unreadable(file, error)
  }
}

function unreadable(file: string, error: unknown): UnusableError {
  return new UnusableError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
}

function isProofFile(file: string): boolean {
  assertReadable(file)
  return !file.endsWith('.jsonl') && isProof(readText(file).slice(0, PROOF_BYTES))
}

function verifyProofs(files: readonly string[], verifier: NoteVerifier, host: Host): number {
  const faults = files.map((file) => {
    const proof = parseProof(readText(file))
    if (proof === undefined) return `${file}: it is not a complete proof`
    const fault = proofFault(proof, verifier)
    if (fault !== undefined) return `${file}: ${fault}`
    host.stdout.write(`${terminalLine(`${file}: line ${proof.index + 1} of the log is proven`)}\n`)
    return undefined
  })
  const found = faults.filter((fault) => fault !== undefined)
  for (const fault of found) host.stdout.write(`${terminalLine(fault)}\n`)
  return found.length === 0 ? exitCodes.ok : exitCodes.failed
}

function describe(report: LogReport, anchor: string | undefined): string {
  const { faults, matching } = report
  if (faults.length > 0) {
    const shown = faults.slice(0, SHOWN_FAULTS)
    const lines = shown.map(({ file, line, kind, detail }) => `${file}:${line}: ${kind}: ${detail}`)
    const rest = faults.length - shown.length
    return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])]
      .map((line) => `${terminalLine(line)}\n`)
      .join('')
  }
  if (matching === 0) return 'There is no checkpoint of these lines: nothing is proven.\n'
  return `${[summary(report), ...unsigned(report), ...unanchored(anchor)].join('\n')}\n`
}

function summary({ first, size, matching }: LogReport): string {
  const lines = size - first
  const from = first === 0 ? '' : `, from seq ${first} on`
  return `${lines} lines are as they were signed${from} (${matching} checkpoint${matching === 1 ? '' : 's'}).`
}

function unsigned({ size, sealedSize }: LogReport): string[] {
  const rest = size - sealedSize
  return rest === 0 ? [] : [`The last ${rest} of them are chained, and no checkpoint covers them yet.`]
}

function unanchored(anchor: string | undefined): string[] {
  return anchor === undefined
    ? ['Without --anchor this does not show whether the holder of the key has rewritten the log.']
    : []
}
