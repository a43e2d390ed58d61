import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestApp, TestUser } from '../../../server/test/harness/app.ts'
import { type CommandResult, credentialsOf, muster, temporaryFolder } from '../harness/muster.ts'

export interface Workspace {
  user: TestUser
  /** Imports a CSV string and returns the JSON output and the exit code. */
  import(csv: string | Buffer, ...options: string[]): Promise<{ code: number | null; [name: string]: unknown }>
  run(...args: string[]): Promise<CommandResult>
  export(): Promise<string>
  devices(): Promise<Record<string, unknown>[]>
}

/** Creates a user without devices and functions that run the CLI. */
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
      return { code, ...JSON.parse(stdout) }
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

/** Returns the counts of imported rows as in an import report. */
export const counts = (created: number, updated: number, unchanged: number) => ({ created, updated, unchanged })
