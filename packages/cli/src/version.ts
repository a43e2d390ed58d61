import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** Version of the CLI, as semver. The CLI and the server of one release have the same version. */
export const version = manifest.version
