import { headers as headerNames } from '@agentic-rest/profile'
import type { AdminAnswer } from './answer.ts'

// Says nothing of the gateway: whoever reads it has shown nothing yet.
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem }
form { display: grid; gap: .75rem; width: min(24rem, calc(100vw - 2rem)) }
input, button { font: inherit; padding: .5rem .75rem }
</style>
<form method="post" action="/session">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus>
<button>Sign in</button>
</form>
</html>
`

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** The same refusal, for somebody who came with a browser: a field for a token, and nothing else. */
export function signInPage({ status, headers = {} }: AdminAnswer): AdminAnswer {
  const own = {
    [headerNames.contentType]: 'text/html; charset=utf-8',
    'Content-Security-Policy': POLICY,
    // With `no-referrer` a browser sends its form with `Origin: null`, which looks like a foreign page.
    'Referrer-Policy': 'same-origin',
  }
  return { status, headers: { ...headers, ...own }, body: Buffer.from(PAGE) }
}
