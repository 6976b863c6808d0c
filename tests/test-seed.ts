/** The same samples in each run, so that a change is judged by what it changed. `SEED=$RANDOM npm test` takes others. */
export const testSeed = process.env['SEED'] ?? '725474'

// A generator that begins with no number gives none, and whatever hangs on it is never tried.
if (!/^[0-9]{1,9}$/.test(testSeed))
  throw new Error(`SEED is a number of at most nine digits, not ${testSeed}`)
