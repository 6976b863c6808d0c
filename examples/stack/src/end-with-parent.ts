// Loaded first in every part. A killed stack cannot stop its parts; without this module they would keep running and
// hold its ports and database folders.
const GRACE_MS = 5_000

process.once('disconnect', function endToo() {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.exit(1), GRACE_MS).unref()
})
// The listener would keep the channel, and so the process, alive after the end of its work.
process.channel?.unref()
