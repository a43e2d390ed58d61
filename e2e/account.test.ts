import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { hasProgram } from '../examples/test/programs.ts'
import { describeConsole, startConsole } from './harness.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('../examples/curl.sh', import.meta.url))
const hasCurl = hasProgram('curl') && hasProgram('openssl')

describeConsole('the account', () => {
  const site = startConsole()

  it.skipIf(!hasCurl)(
    'makes an access key whose credentials file a program signs with (needs curl, openssl)',
    async () => {
      const person = await site.newPerson()
      const page = await site.open(person, { path: '/account/keys' })
      await page.getByRole('button', { name: 'New access key' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Nightly export')
      await dialog.getByRole('radio', { name: 'read only' }).check()
      await dialog.getByRole('button', { name: 'Create key' }).click()
      const downloading = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Download credentials' }).click()
      const folder = await mkdtemp(join(tmpdir(), 'muster-credentials-'))
      try {
        const file = join(folder, 'credentials')
        await copyFile(await (await downloading).path(), file)
        await chmod(file, 0o600)
        const env = { PATH: process.env.PATH, HOME: folder, MUSTER_CREDENTIALS: file }
        const { stdout } = await run('bash', [script, '{ login { email } }'], { env })
        expect(JSON.parse(stdout)).toEqual({ data: { login: { email: person.email } } })
        const change = run('bash', [script, 'mutation { registerDevice(name: "pump") { device { id } } }'], { env })
        await expect(change).rejects.toMatchObject({ stdout: expect.stringContaining('FORBIDDEN') })
      } finally {
        await rm(folder, { recursive: true })
      }
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page
        .getByRole('row', { name: /Nightly export/ })
        .getByText('read', { exact: true })
        .waitFor()
    },
  )
})
