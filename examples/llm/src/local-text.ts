import { createHash } from 'node:crypto'
import type { FinishReason, Usage } from './completion.ts'
import { type CompletionInput, promptText } from './completion-input.ts'

/** A generated text: its words, and why it ended. */
export interface LocalText {
  readonly pieces: readonly string[]
  readonly finishReason: FinishReason
  readonly usage: Usage
}

// Sentences of subject, verb and object. The same prompt gives the same text on every machine.
const subjects = ['The plan', 'A smaller budget', 'This audience', 'The second creative', 'Each device']
const verbs = ['reaches', 'holds', 'improves', 'explains', 'replaces', 'measures']
const objects = ['more readers', 'its own goal', 'the weekly rate', 'a steady share', 'what was asked']

/** Continues a prompt with words from hashes of the prompt, until `max_tokens` or a stop text. */
export function writeLocalText(input: CompletionInput): LocalText {
  const prompt = promptText(input)
  const longest = firstWords(prompt, input.max_tokens).join('')
  const text = endAtStop(longest, input.stop ?? [])
  const pieces = splitWords(text)
  const promptTokens = splitWords(prompt).length
  return {
    pieces,
    finishReason: text.length < longest.length ? 'stop' : 'length',
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: pieces.length,
      total_tokens: promptTokens + pieces.length,
    },
  }
}

function firstWords(prompt: string, count: number): string[] {
  const seed = createHash('sha256').update(prompt).digest('hex')
  const words: string[] = []
  for (let index = 0; words.length < count; index += 1) words.push(...splitWords(makeSentence(seed, index)))
  return words.slice(0, count)
}

function makeSentence(seed: string, index: number): string {
  const digest = createHash('sha256').update(`${seed}:${index}`).digest()
  const pick = (words: readonly string[], place: number) => words[digest.readUInt8(place) % words.length]
  return ` ${pick(subjects, 0)} ${pick(verbs, 1)} ${pick(objects, 2)}.`
}

function splitWords(text: string): string[] {
  return text.match(/\s*\S+/g) ?? []
}

function endAtStop(text: string, stop: string | readonly string[]): string {
  const ends = [stop]
    .flat()
    .filter((end) => end !== '')
    .map((end) => text.indexOf(end))
    .filter((position) => position !== -1)
  return text.slice(0, Math.min(text.length, ...ends))
}
