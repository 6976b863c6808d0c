import fc from 'fast-check'

// Properties take their samples from the same seed as all other sampled tests: see test-seed.ts.
fc.configureGlobal({ seed: Number(process.env['SEED']) })
