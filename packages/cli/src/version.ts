import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** The CLI version (semver). The CLI and the server of a release have the same version. */
export const version = manifest.version
