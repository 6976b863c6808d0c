import { createHmac, createSign, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto'
import type { ErrorCode } from '../../../src/errors.ts'

/** A token that must be refused, and the expected code. */
export interface HostileToken {
  readonly name: string
  readonly token: string
  readonly code: ErrorCode
}

/** A signing key of the corpus. */
export interface KeyPair {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** The targets of the corpus: two issuers with published keys, one with a secret, and an unconfigured address. */
export interface Target {
  /** Allows RS256, ES256 and EdDSA; its keys follow. */
  readonly issuer: string
  readonly rsa: KeyPair
  readonly ec: KeyPair
  readonly ed: KeyPair
  /** Another issuer, with a key that `issuer` does not have. */
  readonly otherIssuer: string
  readonly otherEc: KeyPair
  /** Allows HS256 alone. */
  readonly secretIssuer: string
  readonly secret: string
  readonly trap: string
}

type Json = Readonly<Record<string, unknown>>
type Cases = readonly (readonly [name: string, token: string])[]

/** Creates a key pair of a type. */
export function makeKeyPair(type: 'rsa' | 'ec' | 'ed25519', kid: string): KeyPair {
  if (type === 'rsa') return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) }
  if (type === 'ec') return { kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
  return { kid, ...generateKeyPairSync('ed25519') }
}

const encode = (value: Json | string | Buffer) =>
  Buffer.from(typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value)).toString(
    'base64url',
  )

const rs256 = (input: string, key: KeyObject) => createSign('sha256').update(input).sign(key)
const es256 = (input: string, key: KeyObject) =>
  signBytes('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
const es256Der = (input: string, key: KeyObject) =>
  signBytes('sha256', Buffer.from(input), { key, dsaEncoding: 'der' })
const eddsa = (input: string, key: KeyObject) => signBytes(null, Buffer.from(input), key)
const hs256 = (input: string, key: string | Buffer) => createHmac('sha256', key).update(input).digest()

/** All hostile tokens, created now: their times are near the present. */
export function makeHostileTokens(target: Target): HostileToken[] {
  const groups: readonly (readonly [ErrorCode, Cases])[] = [
    ['DISALLOWED_ALGORITHM', [...unsigned(target), ...otherAlgorithms(target), ...publicKeyAsSecret(target)]],
    ['INVALID_TOKEN', [...mixedKeys(target), ...kids(target), ...ownKeys(target), ...extensions(target)]],
    ['INVALID_TOKEN', [...types(target), ...wrongDates(target), ...wrongSubjects(target)]],
    ['INVALID_TOKEN', [...shapes(target), ...texts(target), ...signatures(target), ...tampered(target)]],
    ['TOKEN_EXPIRED', expired(target)],
    ['TOKEN_NOT_YET_VALID', early(target)],
    ['REQUIRED_CLAIM_MISSING', missingClaims(target)],
    ['UNKNOWN_ISSUER', issuers(target)],
    ['AUDIENCE_MISMATCH', audiences(target)],
  ]
  return groups.flatMap(([code, cases]) => cases.map(([name, token]) => ({ name, token, code })))
}

const now = () => Math.floor(Date.now() / 1000)

/** Claims that would be accepted. */
export function goodClaims({ issuer }: Target): Json {
  return { iss: issuer, sub: 'alice', aud: 'agentic', iat: now(), exp: now() + 300, roles: ['admin'] }
}

/** A correctly signed token: the only fault is the one of its case. */
export function signed(target: Target, claims: Json | string | Buffer = {}, header: Json = {}): string {
  const payload =
    typeof claims === 'string' || Buffer.isBuffer(claims) ? claims : { ...goodClaims(target), ...claims }
  const input = `${encode({ alg: 'EdDSA', kid: target.ed.kid, ...header })}.${encode(payload)}`
  return `${input}.${encode(eddsa(input, target.ed.privateKey))}`
}

/** A token signed by the attacker with an unknown key. */
function forged(target: Target, header: Json, claims: Json = {}): string {
  const input = `${encode({ alg: 'ES256', ...header })}.${encode({ ...goodClaims(target), ...claims })}`
  return `${input}.${encode(es256(input, target.otherEc.privateKey))}`
}

function withSignature(target: Target, header: Json, signature: Buffer | string): string {
  return `${encode(header)}.${encode(goodClaims(target))}.${encode(signature)}`
}

function unsigned(target: Target): Cases {
  const names = [
    'none',
    'None',
    'NONE',
    'nOnE',
    'noNE',
    'none ',
    ' none',
    'none\u0000',
    'n\u043ene',
    'n%6fne',
  ]
  const signatures = [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(64)]
  return names.flatMap((alg) =>
    signatures.map(
      (signature) =>
        [
          `alg ${JSON.stringify(alg)} with ${signature.length} bytes of signature`,
          withSignature(target, { alg }, signature),
        ] as const,
    ),
  )
}

function otherAlgorithms(target: Target): Cases {
  const values = [
    undefined,
    null,
    7,
    '',
    true,
    ['EdDSA'],
    { alg: 'EdDSA' },
    'eddsa',
    'EDDSA',
    'EdDSA ',
    'Ed25519',
    'rs256',
    'RS384',
    'RS512',
    'PS256',
    'ES384',
    'ES256K',
    'HS256',
    'HS384',
    'HS512',
    'ML-DSA-44',
    'RSA1_5',
    'dir',
    'A256KW',
    '__proto__',
    'constructor',
    'toString',
  ]
  return [
    ...values.map(
      (alg) => [`alg ${JSON.stringify(alg)} over a good signature`, signed(target, {}, { alg })] as const,
    ),
    [
      'alg under __proto__ of the header',
      `${encode('{"__proto__":{"alg":"EdDSA"}}')}.${encode(goodClaims(target))}.`,
    ],
  ]
}

function publicKeyAsSecret(target: Target): Cases {
  const pem = (key: KeyObject, type: 'spki' | 'pkcs1') =>
    String(key.export({ format: 'pem', type: type as 'spki' }))
  const der = (key: KeyObject, type: 'spki' | 'pkcs1') => key.export({ format: 'der', type: type as 'spki' })
  const rsa = target.rsa.publicKey
  const jwk = rsa.export({ format: 'jwk' })
  const secrets: Readonly<Record<string, string | Buffer>> = {
    'PEM (SPKI)': pem(rsa, 'spki'),
    'PEM (SPKI) without its last line break': pem(rsa, 'spki').trimEnd(),
    'PEM (SPKI) with CRLF': pem(rsa, 'spki').replaceAll('\n', '\r\n'),
    'PEM (PKCS #1)': pem(rsa, 'pkcs1'),
    'DER (SPKI)': der(rsa, 'spki'),
    'DER (PKCS #1)': der(rsa, 'pkcs1'),
    'JWK text': JSON.stringify(jwk),
    'JWK text with kid': JSON.stringify({ ...jwk, kid: target.rsa.kid }),
    modulus: Buffer.from(String(jwk.n), 'base64url'),
    'modulus as text': String(jwk.n),
    'PEM of the EC key': pem(target.ec.publicKey, 'spki'),
    'DER of the Ed25519 key': der(target.ed.publicKey, 'spki'),
    nothing: '',
  }
  return Object.entries(secrets).map(([name, secret]) => {
    const input = `${encode({ alg: 'HS256', kid: target.rsa.kid })}.${encode(goodClaims(target))}`
    return [`HS256 with the public key as secret: ${name}`, `${input}.${encode(hs256(input, secret))}`]
  })
}

function mixedKeys(target: Target): Cases {
  const { rsa, ec, ed, otherEc, otherIssuer, secretIssuer, secret } = target
  const input = (header: Json, claims: Json = {}) =>
    `${encode(header)}.${encode({ ...goodClaims(target), ...claims })}`
  const withEc = (header: Json, key: KeyPair, claims: Json = {}) => {
    const text = input({ alg: 'ES256', ...header }, claims)
    return `${text}.${encode(es256(text, key.privateKey))}`
  }
  const hmac = (claims: Json, key: string | Buffer) => {
    const text = input({ alg: 'HS256' }, claims)
    return `${text}.${encode(hs256(text, key))}`
  }
  const rsText = input({ alg: 'RS256', kid: rsa.kid })
  const ofOther = { iss: otherIssuer }
  return [
    ['ES256 with the kid of the RSA key', withEc({ kid: rsa.kid }, ec)],
    ['ES256 with the kid of the Ed25519 key', withEc({ kid: ed.kid }, ec)],
    ['RS256 with the signature of the EC key', `${rsText}.${encode(es256(rsText, ec.privateKey))}`],
    ['RS256 with the signature of the Ed25519 key', `${rsText}.${encode(eddsa(rsText, ed.privateKey))}`],
    [
      'RS256 with a SHA-512 signature',
      `${rsText}.${encode(createSign('sha512').update(rsText).sign(rsa.privateKey))}`,
    ],
    [
      'RS256 with a PSS signature',
      `${rsText}.${encode(signBytes('sha256', Buffer.from(rsText), { key: rsa.privateKey, padding: 6, saltLength: 32 }))}`,
    ],
    ['issuer A signs for issuer B with its own kid', withEc({ kid: ec.kid }, ec, ofOther)],
    ['issuer A signs for issuer B with the kid of B', withEc({ kid: otherEc.kid }, ec, ofOther)],
    ['issuer A signs for issuer B without kid', withEc({}, ec, ofOther)],
    ['issuer B signs for issuer A with its own kid', withEc({ kid: otherEc.kid }, otherEc)],
    ['issuer B signs for issuer A with the kid of A', withEc({ kid: ec.kid }, otherEc)],
    ['issuer B signs for issuer A without kid', withEc({}, otherEc)],
    [
      'HS256 with another secret',
      hmac({ iss: secretIssuer }, 'another secret of more than thirty-two characters'),
    ],
    ['HS256 with an empty secret', hmac({ iss: secretIssuer }, '')],
    ['HS256 with the secret cut short', hmac({ iss: secretIssuer }, secret.slice(0, -1))],
    [
      'HS256 with the public key of another issuer',
      hmac({ iss: secretIssuer }, JSON.stringify(rsa.publicKey.export({ format: 'jwk' }))),
    ],
  ]
}

function brief(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 60 ? `of ${text.length} characters` : text
}

function kids(target: Target): Cases {
  const values: readonly unknown[] = [
    '../../../../dev/null',
    '/dev/null',
    'file:///etc/passwd',
    'C:\\Windows\\win.ini',
    "' OR '1'='1",
    "x'; DROP TABLE keys;--",
    "' UNION SELECT 'key'--",
    '$(id)',
    '|id',
    '`id`',
    '{{7*7}}',
    '${7*7}',
    '%00',
    '%2e%2e%2f',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '',
    ' ',
    '*',
    '.*',
    'k'.repeat(256),
    'k'.repeat(257),
    'k'.repeat(4000),
    '\u0000',
    'a\r\nX-Injected: 1',
    'k\u0301ey',
    '\u202eyek',
    '\ud800',
    `${target.trap}/key`,
    0,
    7,
    null,
    true,
    [],
    [target.ec.kid],
    {},
    { kid: target.ec.kid },
  ]
  return values.map((kid) => [`kid ${brief(kid)}`, forged(target, { kid })])
}

function ownKeys(target: Target): Cases {
  const { ec, otherEc, trap } = target
  const jwk = otherEc.publicKey.export({ format: 'jwk' })
  const der = otherEc.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  return [
    ['jku with the kid of the attacker', forged(target, { jku: `${trap}/jku`, kid: otherEc.kid })],
    ['jku with the kid of the issuer', forged(target, { jku: `${trap}/jku`, kid: ec.kid })],
    ['jku without kid', forged(target, { jku: `${trap}/jku` })],
    [
      'jku that looks like the issuer',
      forged(target, { jku: `${target.issuer}@${trap.slice(7)}/jku`, kid: otherEc.kid }),
    ],
    ['jku of a file', forged(target, { jku: 'file:///etc/passwd', kid: 'x' })],
    [
      'jku of the cloud metadata service',
      forged(target, { jku: 'http://169.254.169.254/latest/', kid: 'x' }),
    ],
    ['x5u', forged(target, { x5u: `${trap}/x5u`, kid: otherEc.kid })],
    ['x5c', forged(target, { x5c: [der] })],
    ['x5t', forged(target, { x5t: 'dGh1bWI', 'x5t#S256': 'dGh1bWI' })],
    ['jwk of the attacker', forged(target, { jwk })],
    [
      'jwk of the attacker with the kid of the issuer',
      forged(target, { jwk: { ...jwk, kid: ec.kid }, kid: ec.kid }),
    ],
    ['jwk that is a secret', forged(target, { jwk: { kty: 'oct', k: 'AA' } })],
    [
      'jwk, jku and x5u together',
      forged(target, { jwk, jku: `${trap}/a`, x5u: `${trap}/b`, kid: otherEc.kid }),
    ],
    ['url and iss in the header', forged(target, { url: trap, iss: trap, kid: otherEc.kid })],
  ]
}

function extensions(target: Target): Cases {
  const headers: readonly Json[] = [
    { crit: ['exp'], exp: now() + 300 },
    { crit: ['b64'], b64: false },
    { crit: ['b64'], b64: true },
    { b64: false },
    { b64: true },
    { crit: [] },
    { crit: null },
    { crit: 'exp' },
    { crit: ['x', 'x'], x: 1 },
    { crit: ['http://example.test/ext'] },
    { crit: ['__proto__'] },
    { crit: ['alg'] },
  ]
  return headers.map((header) => [
    `${JSON.stringify(header)} over a good signature`,
    signed(target, {}, header),
  ])
}

function types(target: Target): Cases {
  const values = [
    'logout+jwt',
    'secevent+jwt',
    'dpop+jwt',
    'id_token+jwt',
    'JOSE',
    'JWE',
    'kb+jwt',
    '',
    ' ',
    'at+jwt ',
    ' at+jwt',
    'at+jwt; v=1',
    'at+jwt\u0000',
    'text/at+jwt',
    'application/application/at+jwt',
    'application/',
    'at\u200b+jwt',
    'jw\u0442',
    7,
    null,
    true,
    ['at+jwt'],
    { typ: 'at+jwt' },
  ]
  return values.map((typ) => [
    `typ ${JSON.stringify(typ)} over a good signature`,
    signed(target, {}, { typ }),
  ])
}

function wrongDates(target: Target): Cases {
  const soon = now() + 300
  const raw = (member: string) => JSON.stringify(goodClaims(target)).replace(/"exp":\d+/, member)
  return [
    ...[
      String(soon),
      `${soon}abc`,
      '',
      null,
      true,
      [soon],
      { valueOf: soon },
      new Date(soon * 1000).toISOString(),
      -1,
      1e300,
      soon * 1000,
    ].map((exp) => [`exp ${JSON.stringify(exp)}`, signed(target, { exp })] as const),
    ...['now', '0', null, false, [0], -1, 1e300].map(
      (nbf) => [`nbf ${JSON.stringify(nbf)}`, signed(target, { nbf })] as const,
    ),
    ...['now', null, true, {}, 1e20].map(
      (iat) => [`iat ${JSON.stringify(iat)}`, signed(target, { iat })] as const,
    ),
    ...[
      '"exp":1e999',
      '"exp":NaN',
      '"exp":Infinity',
      '"exp":0x7fffffff',
      '"exp":+99999999999',
      '"exp":99999999999n',
      '"exp":-1e999',
    ].map((member) => [`payload with ${member}`, signed(target, raw(member))] as const),
  ]
}

function expired(target: Target): Cases {
  return [0, 1, now() - 31, now() - 86_400, 1e-300].map((exp) => [`exp ${exp}`, signed(target, { exp })])
}

function early(target: Target): Cases {
  return [now() + 60, now() + 86_400, 253_402_300_799].map((nbf) => [
    `nbf ${nbf}`,
    signed(target, { nbf, exp: 253_402_300_799 }),
  ])
}

function missingClaims(target: Target): Cases {
  const claims = goodClaims(target)
  const without = (name: string) => ({ ...claims, [name]: undefined })
  return [
    ['no exp', signed(target, without('exp'))],
    ['no sub', signed(target, without('sub'))],
    ['sub ""', signed(target, { sub: '' })],
    ['sub null', signed(target, { sub: null })],
    ['sub []', signed(target, { sub: [] })],
    [
      'exp under __proto__',
      signed(target, JSON.stringify(claims).replace(/"exp":\d+/, '"__proto__":{"exp":99999999999}')),
    ],
    [
      'sub under __proto__',
      signed(target, JSON.stringify(claims).replace('"sub":"alice"', '"__proto__":{"sub":"root"}')),
    ],
    [
      'sub under constructor',
      signed(
        target,
        JSON.stringify(claims).replace('"sub":"alice"', '"constructor":{"prototype":{"sub":"root"}}'),
      ),
    ],
    ['sub in capitals', signed(target, JSON.stringify(claims).replace('"sub"', '"SUB"'))],
  ]
}

function wrongSubjects(target: Target): Cases {
  const values: readonly unknown[] = [
    7,
    true,
    {},
    ['alice'],
    { toString: 'alice' },
    'a'.repeat(257),
    'a\r\nX-Tenant-ID: other',
    'a\u0000b',
    '\u0430lice',
    'alice\u200b',
    'ali\u0301ce',
    '\ufeffalice',
    ' alice',
    'alice ',
    '\talice',
    '\u202ealice',
    '\ud800',
  ]
  return values.map((sub) => [`sub ${brief(sub)}`, signed(target, { sub })])
}

function issuers(target: Target): Cases {
  const { issuer } = target
  const values = [
    undefined,
    null,
    7,
    '',
    [issuer],
    { iss: issuer },
    `${issuer}/`,
    ` ${issuer}`,
    `${issuer} `,
    issuer.toUpperCase(),
    `${issuer}\u0000`,
    `${issuer}#x`,
    `${issuer}.evil.test`,
    issuer.replace('127', '\u0661\u0662\u0667'),
    issuer.replace('http', 'https'),
    '__proto__',
    'constructor',
    'toString',
    target.trap,
  ]
  return values.map((iss) => [`iss ${JSON.stringify(iss)}`, signed(target, { iss })])
}

function audiences(target: Target): Cases {
  const values = [
    undefined,
    null,
    7,
    '',
    'Agentic',
    'agentic ',
    'agenti',
    'agentic2',
    'agentic other',
    'agentic,other',
    '*',
    [],
    [[]],
    [['agentic']],
    [null],
    {},
    { agentic: true },
    'agent\u0131c',
    '__proto__',
  ]
  return values.map((aud) => [`aud ${JSON.stringify(aud)}`, signed(target, { aud })])
}

function shapes(target: Target): Cases {
  const token = signed(target)
  const [header = '', payload = '', signature = ''] = token.split('.')
  return [
    ['one segment', header],
    ['two segments', `${header}.${payload}`],
    ['four segments', `${token}.${signature}`],
    ['five segments (JWE)', `${header}.AA.AA.AA.AA`],
    ['a dot at the end', `${token}.`],
    ['a dot in front', `.${token}`],
    ['two dots', '..'],
    ['three dots', '...'],
    ['eight thousand dots', '.'.repeat(8000)],
    ['no header', `.${payload}.${signature}`],
    ['no payload', `${header}..${signature}`],
    ['no signature', `${header}.${payload}.`],
    ['padding of the header', `${header}==.${payload}.${signature}`],
    ['padding of the payload', `${header}.${payload}=.${signature}`],
    ['padding of the signature', `${token}==`],
    ['a blank inside', `${header}.${payload} .${signature}`],
    ['a tab inside', `${header}.\t${payload}.${signature}`],
    ['a line break inside', `${header}.${payload}.${signature.slice(0, 9)}\n${signature.slice(9)}`],
    ['a NUL inside', `${header}.${payload}.${signature}\u0000`],
    ['two tokens', `${token} ${token}`],
    ['two tokens with a comma', `${token},${token}`],
    ['in quotes', `"${token}"`],
    ['percent-encoded dots', token.replaceAll('.', '%2E')],
    ['full-width dots', token.replaceAll('.', '\uff0e')],
    ['the other base64 alphabet', `${header}.${payload}.${'+/'.repeat(43)}`],
    ['JSON serialization', JSON.stringify({ protected: header, payload, signature })],
    ['an SD-JWT', `${token}~WyJzYWx0Il0~`],
    ['a nested token', signed(target, token, { cty: 'JWT' })],
    [
      'unused last bits of the signature set',
      `${header}.${payload}.${signature.slice(0, -1)}${nextLetter(signature)}`,
    ],
    ['a letter too many', `${token}A`],
    ['a letter too few', token.slice(0, -1)],
    ['cut in half', token.slice(0, token.length / 2)],
    ['too long', signed(target, { filler: 'x'.repeat(8192) })],
    ['a megabyte', `${header}.${'A'.repeat(1_048_576)}.${signature}`],
    ['a bare word', 'undefined'],
  ]
}

/** Another last letter that lenient decoders read as the same bytes. */
function nextLetter(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet.charAt(alphabet.indexOf(part.slice(-1)) + 1)
}

function texts(target: Target): Cases {
  const json = JSON.stringify(goodClaims(target))
  const headerOf = (header: string | Buffer) => {
    const input = `${encode(header)}.${encode(json)}`
    return `${input}.${encode(eddsa(input, target.ed.privateKey))}`
  }
  const extra = (member: string) => signed(target, json.replace(/}$/, `,${member}}`))
  return [
    ...[
      '',
      '[]',
      '7',
      'null',
      '"text"',
      'true',
      '{',
      '{"a":}',
      "{'alg':'EdDSA'}",
      '{"alg":"EdDSA",}',
      '{"alg":"EdDSA"}x',
      '/**/{"alg":"EdDSA"}',
      '{"alg":"RS256","alg":"EdDSA"}',
      '{"alg":"none","\\u0061lg":"EdDSA"}',
    ].map((header) => [`header ${header}`, headerOf(header)] as const),
    ...[
      '[]',
      '7',
      'null',
      '"text"',
      `[${json}]`,
      `${json}${json}`,
      `${json}//`,
      json.slice(0, -1),
      json.replaceAll('"', "'"),
      '\u0000',
      'alice',
    ].map((payload, index) => [`payload that is no object (${index})`, signed(target, payload)] as const),
    ['a byte order mark before the header', headerOf('\ufeff{"alg":"EdDSA"}')],
    ['a byte order mark before the payload', signed(target, `\ufeff${json}`)],
    ['UTF-16 payload', signed(target, Buffer.from(json, 'utf16le'))],
    [
      'invalid UTF-8 in the payload',
      signed(
        target,
        Buffer.concat([
          Buffer.from(json.slice(0, -1)),
          Buffer.from([0x2c, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
        ]),
      ),
    ],
    [
      'overlong UTF-8 in the header',
      headerOf(
        Buffer.concat([Buffer.from('{"alg":"EdDSA","x":"'), Buffer.from([0xc0, 0xae]), Buffer.from('"}')]),
      ),
    ],
    ['sub twice', extra('"sub":"root"')],
    ['sub twice, once escaped', extra('"\\u0073ub":"root"')],
    ['iss twice', extra(`"iss":"${target.issuer}"`)],
    ['exp twice', extra(`"exp":${now() + 600}`)],
    ['a nested member twice', extra('"act":{"sub":"a","sub":"b"}')],
    ['a member of a list element twice', extra('"list":[{"a":1,"a":2}]')],
    ['__proto__ twice', extra('"__proto__":{},"__proto__":{}')],
    ['a list nested 64 deep', extra(`"deep":${'['.repeat(64)}${']'.repeat(64)}`)],
    ['a list nested 2,500 deep', extra(`"deep":${'['.repeat(2500)}${']'.repeat(2500)}`)],
    ['objects nested 500 deep', extra(`"deep":${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)],
    ['a header nested 500 deep', headerOf(`{"alg":"EdDSA","x":${'['.repeat(500)}${']'.repeat(500)}}`)],
  ]
}

const P256_ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
const ED25519_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

function signatures(target: Target): Cases {
  const zero = Buffer.alloc(32)
  const one = Buffer.concat([Buffer.alloc(31), Buffer.from([1])])
  const ecInput = `${encode({ alg: 'ES256', kid: target.ec.kid })}.${encode(goodClaims(target))}`
  const ec = es256(ecInput, target.ec.privateKey)
  const [r, s] = [ec.subarray(0, 32), ec.subarray(32)]
  const der = es256Der(ecInput, target.ec.privateKey)
  const rsaInput = `${encode({ alg: 'RS256', kid: target.rsa.kid })}.${encode(goodClaims(target))}`
  const rsa = rs256(rsaInput, target.rsa.privateKey)
  const edInput = `${encode({ alg: 'EdDSA', kid: target.ed.kid })}.${encode(goodClaims(target))}`
  const ed = eddsa(edInput, target.ed.privateKey)
  const pairs = {
    '0, 0': [zero, zero],
    'r, 0': [r, zero],
    '0, s': [zero, s],
    '1, 1': [one, one],
    'n, n': [P256_ORDER, P256_ORDER],
    'n, s': [P256_ORDER, s],
    's, r': [s, r],
  }
  const others: Readonly<Record<string, Buffer>> = {
    'in DER': der,
    'of zeros in DER': Buffer.from('3006020100020100', 'hex'),
    'a byte short': ec.subarray(0, 63),
    'a byte long': Buffer.concat([ec, Buffer.of(0)]),
    'with a byte in front': Buffer.concat([Buffer.of(0), ec]),
    'of the size of P-384': Buffer.concat([Buffer.alloc(16), r, Buffer.alloc(16), s]),
    twice: Buffer.concat([ec, ec]),
    'of one byte': Buffer.of(0),
    'of 4,000 zeros': Buffer.alloc(4000),
  }
  const rsas: Readonly<Record<string, Buffer>> = {
    'of zeros': Buffer.alloc(256),
    'of ones': Buffer.alloc(256, 0xff),
    '1': Buffer.concat([Buffer.alloc(255), Buffer.of(1)]),
    'a byte short': rsa.subarray(1),
    'with a zero in front': Buffer.concat([Buffer.of(0), rsa]),
    'with a zero behind': Buffer.concat([rsa, Buffer.of(0)]),
    'with a bit flipped': flipBit(rsa),
    reversed: Buffer.from(rsa).reverse(),
  }
  const eds: Readonly<Record<string, Buffer>> = {
    'of zeros': Buffer.alloc(64),
    'with S + L in place of S': addOrder(ed),
    'with a bit flipped': flipBit(ed),
    'a byte short': ed.subarray(1),
    'of the identity': Buffer.concat([Buffer.of(1), Buffer.alloc(63)]),
    'a byte long': Buffer.concat([ed, Buffer.of(0)]),
  }
  return [
    ...Object.entries(pairs).map(
      ([name, pair]) => [`ES256 signature (${name})`, `${ecInput}.${encode(Buffer.concat(pair))}`] as const,
    ),
    ...Object.entries(others).map(
      ([name, bytes]) => [`ES256 signature ${name}`, `${ecInput}.${encode(bytes)}`] as const,
    ),
    ['ES256 without signature', `${ecInput}.`],
    ...Object.entries(rsas).map(
      ([name, bytes]) => [`RS256 signature ${name}`, `${rsaInput}.${encode(bytes)}`] as const,
    ),
    ...Object.entries(eds).map(
      ([name, bytes]) => [`EdDSA signature ${name}`, `${edInput}.${encode(bytes)}`] as const,
    ),
  ]
}

function flipBit(bytes: Buffer): Buffer {
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(flipped.readUInt8(10) ^ 1, 10)
  return flipped
}

/** The malleable twin of an Ed25519 signature, which RFC 8032 section 5.1.7 forbids. */
function addOrder(signature: Buffer): Buffer {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + ED25519_ORDER
  return Buffer.concat([
    signature.subarray(0, 32),
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(),
  ])
}

function tampered(target: Target): Cases {
  const [header = '', , signature = ''] = signed(target).split('.')
  const [otherHeader, payload] = signed(target, { sub: 'bob' }, { typ: 'JWT' }).split('.')
  const changes: readonly Json[] = [
    { sub: 'root' },
    { roles: ['root'] },
    { exp: now() + 9000 },
    { tenant_id: 'other' },
    { aud: ['agentic', 'x'] },
  ]
  return [
    ...changes.map(
      (claims) =>
        [
          `payload changed to ${JSON.stringify(claims)}`,
          `${header}.${encode({ ...goodClaims(target), ...claims })}.${signature}`,
        ] as const,
    ),
    ['payload of another token', `${header}.${payload}.${signature}`],
    ['header of another token', `${otherHeader}.${payload}.${signature}`],
    [
      'payload with blanks added',
      `${header}.${encode(` ${JSON.stringify(goodClaims(target))}`)}.${signature}`,
    ],
  ]
}
