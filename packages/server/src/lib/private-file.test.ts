import { chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createPrivateFile, replacePrivateFile } from './private-file.ts'

it('gives files that root writes to the owner of the folder, unless root must own them', async () => {
  const self = process.getuid?.() ?? 0
  const owner = self === 0 ? 1000 : self
  const folder = await mkdtemp(join(tmpdir(), 'muster-private-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await chown(folder, owner, process.getgid?.() ?? 0)
  await createPrivateFile(join(folder, 'made'), 'a')
  await createPrivateFile(join(folder, 'replaced'), 'a', 'root')
  await replacePrivateFile(join(folder, 'replaced'), 'b')
  await replacePrivateFile(join(folder, 'kept'), 'a', 'root')
  const found = await Promise.all((await readdir(folder)).sort().map((name) => stat(join(folder, name))))
  expect(found.map(({ uid }) => uid)).toEqual([self, owner, owner])
  expect(found.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o600, 0o600])
})
