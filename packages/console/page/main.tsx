import { render } from 'preact'
import { Inbox } from './inbox/inbox.ts'
import { createFeed } from './live/feed.ts'
import { App } from './shell/app.tsx'
import { applyTheme, readTheme } from './shell/theme.ts'
import { createBench } from './try/bench.ts'

applyTheme(readTheme())
const root = document.querySelector('#console')
if (root !== null) render(<App feed={createFeed()} bench={createBench()} inbox={new Inbox()} />, root)
