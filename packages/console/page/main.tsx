import { render } from 'preact'
import { createFeed } from './live/feed.ts'
import { App } from './shell/app.tsx'
import { applyTheme, readTheme } from './shell/theme.ts'

applyTheme(readTheme())
const root = document.querySelector('#console')
if (root !== null) render(<App feed={createFeed()} />, root)
