import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { signatureReasons } from './index.ts'

test('lists exactly the reasons of the code in the README, with their status and meaning', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const rows = Array.from(
    readme.matchAll(/^\| `([a-z0-9-]+)` *\| (\d+) *\| (.+?) *\|$/gm),
    ([, reason, status, meaning]) => [reason, { status: Number(status), meaning }],
  )
  expect(Object.fromEntries(rows)).toEqual(signatureReasons)
})
