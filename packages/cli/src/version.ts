import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** Release of the command line, as semver; the server has the same where both come from one release. */
export const version = manifest.version
