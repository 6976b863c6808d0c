import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { parseCheckpoint, signCheckpoint, splitNotes } from './checkpoint.ts'
import { leafHash } from './merkle-tree.ts'
import { createNoteSigner, createNoteVerifier, noteNameFault } from './signed-note.ts'

const pem = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
const NAME = 'agents.example.com/audit/7f3c'
const head = { size: 128_000, root: leafHash(Buffer.from('x')) }

it('reads the example of the specification: its key, its note and no other text', () => {
  const verifier = createNoteVerifier('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')
  const note =
    'If you think cryptography is the answer to your problem,\n' +
    "then you don't know what your problem is.\n\n" +
    '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
  expect(verifier.open(note)).toBe(note.slice(0, note.indexOf('\n\n') + 1))
  expect(verifier.open(note.replace('answer', 'Answer'))).toBeUndefined()
})

it('signs a checkpoint that its own verifier key opens', () => {
  const signer = createNoteSigner(NAME, pem())
  const note = signCheckpoint(head, signer)
  const lines = note.split('\n')
  expect(lines.slice(0, 4)).toEqual([NAME, '128000', head.root.toString('base64'), ''])
  expect(lines[4]).toMatch(/^\u2014 agents\.example\.com\/audit\/7f3c [A-Za-z0-9+/]{91}=$/)
  const text = createNoteVerifier(signer.verifierKey).open(note) ?? ''
  expect(parseCheckpoint(text)).toEqual({ origin: NAME, ...head })
})

it('opens no note of another key, even under the same name', () => {
  const note = signCheckpoint(head, createNoteSigner(NAME, pem()))
  const verifier = createNoteVerifier(createNoteSigner(NAME, pem()).verifierKey)
  expect(verifier.open(note)).toBeUndefined()
})

it('opens no note with any changed byte', () => {
  const signer = createNoteSigner(NAME, pem())
  const verifier = createNoteVerifier(signer.verifierKey)
  const bytes = Buffer.from(signCheckpoint(head, signer))
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(verifier.open(changed.toString()), `byte ${at}`).toBeUndefined()
  }
})

it.each(['', 'a b', 'a+b', 'a\tb', 'a\u2003b', 'x'.repeat(256)])('takes no log named %j', (name) => {
  expect(noteNameFault(name)).toMatch(/^must have/)
  expect(() => createNoteSigner(name, pem())).toThrow('the name of the log must have')
})

it.each([
  ['', 'NAME+ID+KEY'],
  ['a+00000000+AQ==', 'NAME+ID+KEY'],
  ['PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'does not fit'],
])('takes no verifier key %j', (key, message) => {
  expect(() => createNoteVerifier(key)).toThrow(message)
})

it('takes no key but an Ed25519 private key, and quotes none', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  for (const text of ['secret words', ec.export({ format: 'pem', type: 'pkcs8' }).toString()])
    expect(() => createNoteSigner(NAME, text)).toThrow(/^the key is not an Ed25519 private key in PEM$/)
})

it('finds the notes of a file with their lines, and where an unfinished one begins', () => {
  const signer = createNoteSigner(NAME, pem())
  const notes = [1, 2, 3].map((size) => signCheckpoint({ ...head, size }, signer))
  const file = notes.join('\n')
  expect(splitNotes(file)).toEqual({
    notes: notes.map((note, index) => ({ note, line: 1 + 6 * index })),
    wholeBytes: Buffer.byteLength(file),
  })
  const [first = '', second = ''] = notes
  const two = Buffer.byteLength(`${first}\n${second}`)
  const bytes = Buffer.from(file)
  for (let cut = two; cut < bytes.length; cut += 1) {
    const { notes: whole, wholeBytes } = splitNotes(bytes.subarray(0, cut).toString())
    expect(whole.map(({ note }) => note)).toEqual([first, second])
    expect(wholeBytes).toBe(two)
  }
  expect(splitNotes('')).toEqual({ notes: [], wholeBytes: 0 })
})
