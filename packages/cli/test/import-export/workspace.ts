import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestApp, TestUser } from '../../../server/test/harness/app.ts'
import { type CommandResult, credentialsOf, muster, temporaryFolder } from '../harness/muster.ts'

export interface Workspace {
  user: TestUser
  import(csv: string | Buffer, ...options: string[]): Promise<{ code: number | null; [name: string]: unknown }>
  run(...args: string[]): Promise<CommandResult>
  export(): Promise<string>
  devices(): Promise<Record<string, unknown>[]>
}

export async function openWorkspace(app: TestApp): Promise<Workspace> {
  const user = await app.createUser()
  const folder = await temporaryFolder()
  const credentials = await folder.write('credentials', credentialsOf(app.url, user))
  const run = (...args: string[]): Promise<CommandResult> => muster(args, { env: { MUSTER_CREDENTIALS: credentials } })
  return {
    user,
    run,
    async import(csv, ...options) {
      const { code, stdout, stderr } = await run('import', await folder.write('devices.csv', csv), '--json', ...options)
      if (stdout === '') throw new Error(JSON.parse(stderr).error.message)
      return { code, stderr, ...JSON.parse(stdout) }
    },
    async export() {
      const file = join(folder.path, 'export.csv')
      const { code, stderr } = await run('export', '--output', file)
      if (code !== 0) throw new Error(stderr)
      return readFile(file, 'utf8')
    },
    async devices() {
      const fields = 'id name hardwareId platform attributes services { id name application host port enabled }'
      const { login } = await user.data(`{ login { devices(size: 1000) { items { ${fields} } } } }`)
      return login.devices.items
    },
  }
}

export const counts = (created: number, updated: number, unchanged: number) => ({ created, updated, unchanged })
