import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unknownSettings } from './config.ts'

const root = new URL('../../../', import.meta.url).pathname
const pages = ['*.md', 'docs/**/*.md', 'packages/*/README.md']

test('knows every environment variable that the docs mention, and reports others as unknown', async () => {
  const named = new Set<string>()
  for await (const page of glob(pages, { cwd: root })) {
    const text = await readFile(join(root, page), 'utf8')
    for (const [name] of text.matchAll(/\bMUSTER(?:_[A-Z]+)+\b/g)) named.add(name)
  }
  expect(named).toContain('MUSTER_DATA')
  const env = Object.fromEntries(Array.from(named, (name) => [name, 'set']))
  expect(unknownSettings({ ...env, MUSTER_LOGLEVEL: 'debug' })).toEqual(['MUSTER_LOGLEVEL'])
})
