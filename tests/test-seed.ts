/** The same samples in each run, so that a change is judged by what it changed. `SEED=$RANDOM npm test` takes others. */
export const testSeed = process.env['SEED'] ?? '725474'
