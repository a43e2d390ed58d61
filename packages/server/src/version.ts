import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** The server's release, as a Semantic Versioning string. */
export const version = manifest.version
