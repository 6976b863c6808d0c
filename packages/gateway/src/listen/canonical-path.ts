/** A request target in its canonical form, which is matched and forwarded; or the reason of its refusal. */
export type CanonicalTarget =
  | { readonly ok: true; readonly path: string; readonly query: string }
  | { readonly ok: false; readonly message: string }

// Letters, digits and unambiguous marks: the fast case of most paths.
const PLAIN_PATH = /^(?:\/[A-Za-z0-9\-_~:@!$&'()*+,;=]+)+$/
const PLAIN_QUERY = /^\?[!$-;=?-~]*$/
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)(.*)$/i
// RFC 3986, section 3.3: characters that a segment may have unencoded.
const PCHAR = /^[A-Za-z0-9\-._~:@!$&'()*+,;=]$/
const UNRESERVED = /^[A-Za-z0-9\-._~]$/

/**
 * Brings a request target into its canonical form (RFC 3986, section 6.2.2): hexadecimal digits in upper case,
 * no needless encoding, no slash at the end. A target that two servers could read in two ways is refused.
 */
export function canonicalTarget(target: string, host: string | undefined): CanonicalTarget {
  const relative = withoutAuthority(target, host)
  if (relative === undefined) return refuse('names another host than the Host header')
  if (relative.includes('#')) return refuse('must not have a fragment')
  const mark = relative.indexOf('?')
  const rawPath = mark === -1 ? relative : relative.slice(0, mark)
  const query = mark === -1 ? '' : relative.slice(mark)
  if (!PLAIN_QUERY.test(query) && !isQuery(query))
    return refuse('has a query with a character that must be encoded')
  if (PLAIN_PATH.test(rawPath)) return { ok: true, path: rawPath, query }
  const path = canonicalPath(rawPath)
  if (typeof path !== 'string') return refuse(path.problem)
  return { ok: true, path, query }
}

/** Absolute-form must be accepted (RFC 9112, section 3.2.2), but only for the host of the Host header. */
function withoutAuthority(target: string, host: string | undefined): string | undefined {
  if (target.startsWith('/')) return target
  const match = ABSOLUTE_FORM.exec(target)
  if (match === null) return target
  const [, authority = '', rest = ''] = match
  if (authority.toLowerCase() !== host?.toLowerCase()) return undefined
  return rest.startsWith('/') ? rest : `/${rest}`
}

function isQuery(query: string): boolean {
  return query === '' || /^\?[\x21\x22\x24-\x7e]*$/.test(query)
}

interface Problem {
  readonly problem: string
}

function canonicalPath(raw: string): string | Problem {
  if (!raw.startsWith('/')) return { problem: 'must start with a slash' }
  if (raw.includes('\\')) return { problem: 'must not have a backslash' }
  const segments: string[] = []
  for (const segment of raw.slice(1).split('/')) {
    const canonical = canonicalSegment(segment)
    if (typeof canonical !== 'string') return canonical
    segments.push(canonical)
  }
  if (segments.at(-1) === '') segments.pop()
  if (segments.includes('')) return { problem: 'must not have an empty segment' }
  return `/${segments.join('/')}`
}

function canonicalSegment(segment: string): string | Problem {
  const problem = segmentProblem(segment)
  if (problem !== undefined) return { problem }
  // An encoded reserved character is not the character itself: `%3B` stays `%3B`.
  return segment.replace(/%..|./g, (part) => {
    if (part.length === 1) return PCHAR.test(part) ? part : encodeURIComponent(part)
    const character = String.fromCharCode(Number.parseInt(part.slice(1), 16))
    return UNRESERVED.test(character) ? character : part.toUpperCase()
  })
}

/** A slash or a dot that only shows after decoding would change the path for an upstream that decodes it. */
function segmentProblem(segment: string): string | undefined {
  if (/[^\x21-\x7e]/.test(segment)) return 'has a character that must be percent-encoded'
  const decoded = decode(segment)
  if (decoded === undefined) return 'has a percent-encoding that is not UTF-8'
  if (/[/\\]/.test(decoded)) return 'must not have an encoded slash or backslash'
  if (/\p{Cc}/u.test(decoded)) return 'must not have a control character'
  // Some servers cut a segment at its semicolon before they resolve the path.
  const [name = ''] = decoded.split(';', 1)
  return name === '.' || name === '..' ? 'must not have a dot segment' : undefined
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function refuse(message: string): CanonicalTarget {
  return { ok: false, message }
}
