/** A fixed seed, so that every run has the same samples. `SEED=$RANDOM npm test` takes others. */
export const testSeed = process.env['SEED'] ?? '725474'

// Without a number the generator gives NaN, and sampled tests would try nothing.
if (!/^[0-9]{1,9}$/.test(testSeed))
  throw new Error(`SEED is a number of at most nine digits, not ${testSeed}`)
