// Loaded into a gateway by a test. On SIGUSR2 it makes objects that survive for a while, as a load does, and logs how far
// the space for new objects grew.
'use strict'
const { getHeapSpaceStatistics } = require('node:v8')

process.on('SIGUSR2', () => {
  const kept = []
  for (let count = 0; count < 3_000_000; count += 1)
    kept[count % 200_000] = { count, text: `object ${count}` }
  const { space_size: bytes } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  process.stderr.write(
    `${JSON.stringify({ level: 'info', msg: `new space of ${process.pid}`, bytes, kept: kept.length })}\n`,
  )
})
