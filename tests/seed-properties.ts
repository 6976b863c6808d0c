import fc from 'fast-check'

// Property tests use the same seed as all sampled tests: see test-seed.ts.
fc.configureGlobal({ seed: Number(process.env['SEED']) })
