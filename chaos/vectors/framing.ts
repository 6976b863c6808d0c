import { chunks, get, passed, post, refused, request, smuggled, type Vector } from './vector.ts'

/** Ambiguous spellings of `Transfer-Encoding: chunked`. */
const obfuscations: Readonly<Record<string, string>> = {
  'a blank before the colon': 'Transfer-Encoding : chunked\r\n',
  'a tab before the colon': 'Transfer-Encoding\t: chunked\r\n',
  'a vertical tab before the value': 'Transfer-Encoding: \x0bchunked\r\n',
  'a form feed before the value': 'Transfer-Encoding: \x0cchunked\r\n',
  'a NUL before the value': 'Transfer-Encoding: \0chunked\r\n',
  'a NUL behind the value': 'Transfer-Encoding: chunked\0\r\n',
  'a NUL in the name': 'Transfer\0-Encoding: chunked\r\n',
  'a control character before the value': 'Transfer-Encoding: \x01chunked\r\n',
  'a tab behind the value': 'Transfer-Encoding: chunked\t\r\n',
  'a tab and a blank behind the value': 'Transfer-Encoding: chunked\t \r\n',
  'a blank and a tab behind the value': 'Transfer-Encoding: chunked \t\r\n',
  'a DEL behind the value': 'Transfer-Encoding: chunked\x7f\r\n',
  'a byte outside ASCII before the value': 'Transfer-Encoding: \xa0chunked\r\n',
  'a byte outside ASCII in the name': 'Transfer-Enc\xf6ding: chunked\r\n',
  'a byte outside ASCII behind the value': 'Transfer-Encoding: chunked\x96\r\n',
  'a long s in the name': 'Tran\xc5\xbffer-Encoding: chunked\r\n',
  'the value on the next line': 'Transfer-Encoding:\r\n chunked\r\n',
  'the value on the next line behind a tab': 'Transfer-Encoding:\r\n\tchunked\r\n',
  'the value torn over two lines': 'Transfer-Encoding: chun\r\n ked\r\n',
  'the colon on the next line': 'Transfer-Encoding\r\n: chunked\r\n',
  'a line that starts with a blank': 'X: y\r\n Transfer-Encoding: chunked\r\n',
  'behind a line feed': 'X: y\nTransfer-Encoding: chunked\r\n',
  'behind a carriage return': 'X: y\rTransfer-Encoding: chunked\r\n',
  'ended by a line feed': 'Transfer-Encoding: chunked\n',
  'ended by a carriage return': 'Transfer-Encoding: chunked\rX: y\r\n',
  'ended by two carriage returns': 'Transfer-Encoding: chunked\r\r\n',
  'in quotes': 'Transfer-Encoding: "chunked"\r\n',
  'in single quotes': "Transfer-Encoding: 'chunked'\r\n",
  'with a parameter': 'Transfer-Encoding: chunked;q=1\r\n',
  'with an empty parameter': 'Transfer-Encoding: chunked;\r\n',
  'with a letter before it': 'Transfer-Encoding: xchunked\r\n',
  'with a letter behind it': 'Transfer-Encoding: chunkedx\r\n',
  'an empty value': 'Transfer-Encoding: \r\n',
  identity: 'Transfer-Encoding: identity\r\n',
  gzip: 'Transfer-Encoding: gzip\r\n',
  'gzip and chunked': 'Transfer-Encoding: gzip, chunked\r\n',
  'chunked and gzip': 'Transfer-Encoding: chunked, gzip\r\n',
  'chunked and identity': 'Transfer-Encoding: chunked, identity\r\n',
  'identity and chunked': 'Transfer-Encoding: identity, chunked\r\n',
  'identity and chunked on two lines': 'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n',
  'chunked and identity on two lines': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
  'chunked and junk on two lines': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n',
  'junk and chunked on two lines': 'Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n',
  'chunked twice in a list': 'Transfer-Encoding: chunked, chunked\r\n',
  'chunked twice on two lines': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
  'a comma before it': 'Transfer-Encoding: ,chunked\r\n',
  'a comma behind it': 'Transfer-Encoding: chunked,\r\n',
  'two colons': 'Transfer-Encoding:: chunked\r\n',
  'an equals sign': 'Transfer-Encoding= chunked\r\n',
  'a blank in the name': 'Transfer Encoding: chunked\r\n',
}

/** Valid spellings of chunked. */
const plain: Readonly<Record<string, string>> = {
  'in lower case': 'transfer-encoding: chunked\r\n',
  'in upper case': 'TRANSFER-ENCODING: CHUNKED\r\n',
  'in mixed case': 'Transfer-Encoding: cHuNkEd\r\n',
  'without a blank': 'Transfer-Encoding:chunked\r\n',
  'behind a tab': 'Transfer-Encoding:\tchunked\r\n',
  'behind many blanks': 'Transfer-Encoding:      chunked\r\n',
  'before blanks': 'Transfer-Encoding: chunked  \r\n',
}

/** Similar header names without a meaning for the body. */
const others: Readonly<Record<string, string>> = {
  'an underscore': 'Transfer_Encoding: chunked\r\n',
  'a dot': 'Transfer.Encoding: chunked\r\n',
  'a letter more': 'XTransfer-Encoding: chunked\r\n',
  'a letter less': 'Transfer-Encodin: chunked\r\n',
  'the name TE': 'TE: chunked\r\n',
}

const lengths: Readonly<Record<string, string>> = {
  'two different lengths': 'Content-Length: 5\r\nContent-Length: 6\r\n',
  'two different lengths, the larger first': 'Content-Length: 50\r\nContent-Length: 5\r\n',
  'the same length twice': 'Content-Length: 5\r\nContent-Length: 5\r\n',
  'the same length in another case': 'Content-Length: 5\r\ncontent-length: 5\r\n',
  'a list of the same': 'Content-Length: 5, 5\r\n',
  'a list of two': 'Content-Length: 5,6\r\n',
  'a plus': 'Content-Length: +5\r\n',
  'a minus': 'Content-Length: -5\r\n',
  'minus nothing': 'Content-Length: -0\r\n',
  'hexadecimal digits': 'Content-Length: 0x5\r\n',
  'an exponent': 'Content-Length: 5e0\r\n',
  'a fraction': 'Content-Length: 5.0\r\n',
  'a letter behind it': 'Content-Length: 5a\r\n',
  'a letter before it': 'Content-Length: a5\r\n',
  'a blank inside': 'Content-Length: 5 5\r\n',
  'an underscore inside': 'Content-Length: 5_0\r\n',
  'a comma inside': 'Content-Length: 5,0\r\n',
  nothing: 'Content-Length:\r\n',
  'a blank': 'Content-Length:  \r\n',
  'a quoted number': 'Content-Length: "5"\r\n',
  'a number beyond 64 bits': 'Content-Length: 18446744073709551621\r\n',
  'a number beyond 63 bits': 'Content-Length: 9223372036854775813\r\n',
  'a NUL behind it': 'Content-Length: 5\0\r\n',
  'a vertical tab before it': 'Content-Length:\x0b5\r\n',
  'a blank before the colon': 'Content-Length : 5\r\n',
  'a tab before the colon': 'Content-Length\t: 5\r\n',
  'on the next line': 'Content-Length:\r\n 5\r\n',
  'ended by a line feed': 'Content-Length: 5\n',
  'behind a carriage return': 'X: y\rContent-Length: 5\r\n',
  'other digits of Unicode': 'Content-Length: \xd9\xa5\r\n',
  'a length of 0 and one of 5': 'Content-Length: 0\r\nContent-Length: 5\r\n',
}

const hidden = `0\r\n\r\n${smuggled}`

function named(prefix: string, lines: Readonly<Record<string, string>>, make: (line: string) => string) {
  return Object.fromEntries(Object.entries(lines).map(([name, line]) => [`${prefix}: ${name}`, make(line)]))
}

/** Content-Length and Transfer-Encoding together, in all spellings. */
export const framingVectors: readonly Vector[] = [
  ...refused({
    'CL.TE: a length and chunks': post(
      `Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n`,
      hidden,
    ),
    'CL.TE: a short length and chunks': post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', hidden),
    'TE.CL: chunks and a length': post(
      'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
      chunks(smuggled),
    ),
    'TE.CL: chunks and a length of 0': post(
      'Transfer-Encoding: chunked\r\nContent-Length: 0\r\n',
      chunks(smuggled),
    ),
    'TE.CL: a length of 0 and chunks': post(
      'Content-Length: 0\r\nTransfer-Encoding: chunked\r\n',
      chunks(smuggled),
    ),
    'CL.TE: with the length taken away by Connection': post(
      `Connection: Content-Length\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n`,
      hidden,
    ),
    'TE.0: OPTIONS with chunks and a length': request(
      'OPTIONS',
      'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
      chunks(smuggled),
    ),
  }),
  ...refused(
    named('CL.TE', obfuscations, (line) => post(`Content-Length: ${hidden.length}\r\n${line}`, hidden)),
  ),
  ...refused(named('TE.CL', obfuscations, (line) => post(`${line}Content-Length: 4\r\n`, chunks(smuggled)))),
  ...refused(named('TE', obfuscations, (line) => post(line, hidden))),
  ...passed(
    ['acme', 'globex'],
    named('TE', plain, (line) => post(line, hidden)),
  ),
  ...refused(named('CL.TE in plain words', plain, (line) => post(`Content-Length: 5\r\n${line}`, hidden))),
  ...passed(
    ['acme'],
    named('CL and no TE', others, (line) => post(`Content-Length: ${hidden.length}\r\n${line}`, hidden)),
  ),
  ...refused(named('CL', lengths, (line) => post(line, `hello${smuggled}`))),
  ...passed(['acme', 'globex'], {
    'CL: leading zeros': post('Content-Length: 0005\r\n', `hello${smuggled}`),
    'CL: blanks around it': post('Content-Length:   5  \r\n', `hello${smuggled}`),
    'CL: no length and no body': post('', smuggled),
    'CL: an underscore in the name': post('Content_Length: 50\r\nContent-Length: 5\r\n', `hello${smuggled}`),
  }),
  ...passed(['acme'], {
    'CL.0: a length that covers another request': post(`Content-Length: ${smuggled.length}\r\n`, smuggled),
    'CL.0: a DELETE that covers another request': request(
      'DELETE',
      `Content-Length: ${smuggled.length}\r\n`,
      smuggled,
    ),
    'CL.0: a length that Connection takes away': post(
      `Connection: Content-Length\r\nContent-Length: ${smuggled.length}\r\n`,
      smuggled,
    ),
    'TE: chunks that cover another request': post('Transfer-Encoding: chunked\r\n', chunks(smuggled)),
    'TE: taken away by Connection': post(
      'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n',
      chunks(smuggled),
    ),
  }),
  ...refused({
    'GET.CL: a GET with a length': get(`Content-Length: ${smuggled.length}\r\n`, smuggled),
    'GET.CL: a HEAD with a length': request('HEAD', `Content-Length: ${smuggled.length}\r\n`, smuggled),
    'GET.TE: a GET with chunks': get('Transfer-Encoding: chunked\r\n', chunks(smuggled)),
    'GET.CL: leading zeros': get('Content-Length: 00\r\n', smuggled),
  }),
]
