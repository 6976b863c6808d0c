import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { areKeysOff, keyList, switchKeys } from './keys.ts'

/** The list of the keys. The browser returns the focus when it closes. */
export function KeysDialog({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }) {
  const [isOff, setOff] = useState(areKeysOff)
  function choose(next: boolean): void {
    switchKeys(next)
    setOff(next)
  }
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title" class="keys-title">
        Keys
      </h2>
      <dl>
        {keyList.map(([key, words]) => (
          <div key={key} class="key-line">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <label class="check keys-switch">
        <input type="checkbox" checked={!isOff} onChange={(event) => choose(!event.currentTarget.checked)} />
        Single keys, such as / and ?
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
