import { setFlagsFromString } from 'node:v8'

// V8 enlarges the space for new objects by this factor when many of them survive, which is what loading a program looks
// like. It hardly ever gives that space back: 10 MB of a gateway that has not served a request. The flag is read
// whenever the space is about to grow, so that it can be set while the program runs.
const GROWTH = '--semi-space-growth-factor='
const USUAL_FACTOR = 2

/** Keeps the space for new objects as small as it is, while a program is loaded. */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString(`${GROWTH}1`)
}

/** Lets it grow with the load, as it does in every other program. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString(`${GROWTH}${USUAL_FACTOR}`)
}
