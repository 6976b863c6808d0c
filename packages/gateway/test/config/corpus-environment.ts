/** The environment in which the files of `bad/` are read. No value of it may appear in an expected message. */
export const corpusEnvironment: Readonly<Record<string, string>> = {
  EMPTY: '',
  INJECTION: '{ port: 1 }',
  NUMBER: '25',
  SHORT_SECRET: 'do-not-show',
  WORD: 'do-not-show-either',
}
