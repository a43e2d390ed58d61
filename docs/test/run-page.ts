import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { databaseUrl } from '../../packages/cli/test/muster.ts'
import { createTestDatabase } from '../../packages/server/test/database.ts'
import { type ServerProcess, startServerProcess } from '../../packages/server/test/server-process.ts'
import type { Block } from './blocks.ts'
import { freePort } from './ports.ts'
import { differenceFrom, holds } from './printed.ts'
import { openWorkspace, type Ran, type Workspace } from './workspace.ts'

/** Ports by the numbers that pages give: of the server, of MQTT and of a receiver. */
const documentedPorts = ['4000', '1883', '8080']

/** How a file of each language is run. */
const runners: Record<string, (file: string) => string> = {
  js: (file) => `node ${file}`,
  ts: (file) => `node ${file}`,
  python: (file) => `python3 ${file}`,
  go: (file) => `go run ${file}`,
  graphql: (file) => `muster query --file ${file}`,
}
const endings: Record<string, string> = { js: 'mjs', ts: 'ts', python: 'py', go: 'go', graphql: 'graphql' }

/** Does what a page says from top to bottom, with a server and a database of its own. */
export async function runPage(blocks: readonly Block[]): Promise<void> {
  const workspace = await openWorkspace()
  const ports = new Map<string, string>()
  for (const port of documentedPorts) ports.set(port, String(await freePort()))
  const server = await prepareServer(workspace, ports)
  const background = new Map<string, () => string>()
  let last: Ran | undefined
  let lastId = ''
  for (const block of blocks) {
    const { line, language, use } = block
    const text = block.text
      .replace(/\b\d{4}\b/g, (number) => ports.get(number) ?? number)
      // What a reader copies from what was printed before.
      .replaceAll('80:…', use.kind === 'run' ? lastId : '80:…')
    const where = `line ${line}: ${text}`
    if (use.kind === 'server') await server.restart(settingsIn(text))
    if (use.kind === 'file') await workspace.write(use.name, `${text}\n`)
    if (use.kind === 'run' || use.kind === 'background') await server.start()
    if (use.kind === 'background') background.set(use.name, await workspace.startInBackground(text, server.env))
    if (use.kind === 'run') {
      last = await workspace.run(await commandOf(workspace, { ...block, text }), server.env)
      expect(last.code === use.exit || last, where).toBe(true)
      lastId = last.stdout.match(/80(?::[0-9a-f]{2}){7}/g)?.at(-1) ?? lastId
    }
    if (use.kind === 'errors') expect(differenceFrom(text, last?.stderr ?? '', language), where).toBeUndefined()
    if (use.kind === 'output' && use.of === undefined) {
      expect(differenceFrom(text, last?.stdout ?? '', language), where).toBeUndefined()
    } else if (use.kind === 'output') {
      const printed = background.get(use.of ?? '')
      if (printed === undefined) throw new Error(`line ${line}: nothing called ${use.of} runs`)
      await expect.poll(() => holds(text, printed()) || printed(), { message: where, timeout: 300_000 }).toBe(true)
    }
  }
}

/** What a shell is told to do: the block itself, or a run of the file that it is put in. */
async function commandOf(workspace: Workspace, { line, language, text }: Block): Promise<string> {
  const runner = runners[language]
  if (runner === undefined) return text
  const file = `line-${line}.${endings[language]}`
  await workspace.write(file, `${text}\n`)
  return runner(file)
}

interface PageServer {
  env: Record<string, string>
  /** Starts it unless it runs. */
  start(): Promise<void>
  /** Starts it, or starts it anew, with these settings. */
  restart(settings: Record<string, string>): Promise<void>
}

async function prepareServer(workspace: Workspace, ports: ReadonlyMap<string, string>): Promise<PageServer> {
  const { connection, drop } = await createTestDatabase()
  onTestFinished(drop)
  const DATABASE_URL = databaseUrl(connection)
  const own = {
    DATABASE_URL,
    PORT: ports.get('4000') ?? '',
    MUSTER_MQTT_PORT: ports.get('1883') ?? '',
    MUSTER_DATA: join(workspace.path, 'data'),
    MUSTER_LOG_LEVEL: 'warn',
  }
  let running: ServerProcess | undefined
  const restart: PageServer['restart'] = async (settings) => {
    await running?.stop()
    running = await startServerProcess({ ...own, ...settings })
  }
  return { env: { DATABASE_URL }, restart, start: async () => void (running ?? (await restart({}))) }
}

/** The variables that a command line such as `A=1 B=2 npm start` sets. */
function settingsIn(command: string): Record<string, string> {
  if (!/npm start$/.test(command.trim())) throw new Error(`a block tagged server ends in npm start, not as ${command}`)
  return Object.fromEntries([...command.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]))
}
