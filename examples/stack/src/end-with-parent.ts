// Loaded into every part before anything of its own. A stack that is killed cannot stop its parts: without this they
// would stay behind, hold its ports and keep its database folders locked.
const GRACE_MS = 5_000

process.once('disconnect', function endToo() {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.exit(1), GRACE_MS).unref()
})
// A listener keeps the channel, and with it the process, alive: a part that has ended its work would never end.
process.channel?.unref()
