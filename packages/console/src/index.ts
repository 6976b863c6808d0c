import { join } from 'node:path'

/** The folder of the console's static files: `index.html` and `assets`. */
export const consoleFolder: string = join(import.meta.dirname, 'page')
