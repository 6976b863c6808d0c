import { anyOf, isAlphanumeric, isBase64Url, runEnd } from '../characters.ts'
import type { Span } from '../text-view.ts'
import { announcedValue, type Detector, findAnnounced, findMatches } from './find-matches.ts'

/** The beginnings of keys with a known prefix. Code reads the rest of the key. */
const PREFIXED = [
  'sk-(?:ant|proj|svcacct|admin|or-v1|lf)-[A-Za-z0-9_-]{16}',
  'sk-[A-Za-z0-9]{20}',
  '(?:gsk|hf|r8|npm|ntn)_[A-Za-z0-9]{30}',
  '(?:xai|pplx)-[A-Za-z0-9]{40}',
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])',
  'gh[pousr]_[A-Za-z0-9]{36}',
  'github_pat_[A-Za-z0-9_]{22}',
  'gl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_-]{20}',
  'xox[abeoprs]-[A-Za-z0-9-]{10}',
  'xapp-[0-9]-[A-Za-z0-9-]{10}',
  '[rsp]k_(?:live|test)_[A-Za-z0-9]{16}',
  'whsec_[A-Za-z0-9+/=]{24}',
  'AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])',
  'ya29\\.[A-Za-z0-9_-]{20}',
  'GOCSPX-[A-Za-z0-9_-]{20}',
  'pypi-[A-Za-z0-9_-]{50}',
  'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32}',
  'SK[0-9a-f]{32}(?![A-Za-z0-9])',
  'do[opr]_v1_[a-f0-9]{64}',
  'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
  '(?:dapi|key-)[a-f0-9]{32}(?![A-Za-z0-9])',
  'lin_api_[A-Za-z0-9]{32}',
  'PMAK-[A-Za-z0-9]{24}-[A-Za-z0-9]{34}',
  'hv[sb]\\.[A-Za-z0-9_-]{24}',
  'AGE-SECRET-KEY-1[A-Z0-9]{58}',
  '[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])',
]
const KNOWN = new RegExp(`(?<![A-Za-z0-9])(?:${PREFIXED.join('|')})`, 'g')
const PEM_BEGIN = /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/g
const PEM_END = /^-----END [A-Z ]{0,20}PRIVATE KEY-----/
const LONGEST_PEM_END = 64
const ANNOUNCED = new RegExp(
  '(?<![a-z])(?:(?:api|secret|access|private|auth|signing|encryption)[ _-]?(?:key|token|secret)|client[ _-]?secret|bearer)' +
    '(?:["\' ]{0,2}(?:[:=]|=>| is )| )["\' ]{0,2}([A-Za-z0-9_+/.~-]{16})',
  'gi',
)
const isPemBody = anyOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=:,\\ \t\r\n')
const isSign = anyOf('_+/.~-')
const DASH = 0x2d
const MORE_DASHES = '-----'

const ANNOUNCEMENT = {
  inKey: /key|token|secret|bearer/i,
  find: (text: string) => findMatches(ANNOUNCED, text, judgeAnnounced),
}

/** Keys and secrets of services: known prefixes, private keys in PEM, and long values after a word such as `token`. */
export const apiKey: Detector = {
  patterns: [KNOWN, PEM_BEGIN, ANNOUNCED],
  minLength: 16,
  find: (text, hint) => [
    ...findMatches(KNOWN, text, judgeKnown),
    ...findMatches(PEM_BEGIN, text, judgePem),
    ...findAnnounced(text, hint, ANNOUNCEMENT),
  ],
}

function judgeKnown({ 0: key, index, input }: RegExpExecArray): Span {
  return { start: index, end: runEnd(input, index + key.length, isBase64Url) }
}

/** The whole block. If its end is cut off, everything that could belong to it. */
function judgePem({ 0: begin, index, input }: RegExpExecArray): Span {
  let end = index + begin.length
  for (;;) {
    end = runEnd(input, end, isPemBody)
    if (input.charCodeAt(end) !== DASH || input.startsWith(MORE_DASHES, end)) break
    end++
  }
  const closing = PEM_END.exec(input.slice(end, end + LONGEST_PEM_END))?.[0] ?? ''
  return { start: index, end: end + closing.length }
}

/** A secret has letters and digits; a word, a path or a placeholder after `token:` is none. */
function judgeAnnounced(match: RegExpExecArray): Span | number {
  const { start } = announcedValue(match)
  const end = runEnd(match.input, start, isSecretCharacter)
  const value = match.input.slice(start, end)
  return /[0-9]/.test(value) && /[A-Za-z]/.test(value) ? { start, end: withPadding(match.input, end) } : end
}

function isSecretCharacter(unit: number): boolean {
  return isAlphanumeric(unit) || isSign(unit)
}

function withPadding(text: string, end: number): number {
  return text.startsWith('==', end) ? end + 2 : text.startsWith('=', end) ? end + 1 : end
}
