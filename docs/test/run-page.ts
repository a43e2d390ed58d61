import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { databaseUrl } from '../../packages/cli/test/muster.ts'
import { createTestDatabase } from '../../packages/server/test/database.ts'
import { claimPorts } from '../../packages/server/test/ports.ts'
import { type ServerProcess, startServerProcess } from '../../packages/server/test/server-process.ts'
import type { Block } from './blocks.ts'
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
  const claimed = await claimPorts(documentedPorts.length)
  const ports = new Map(documentedPorts.map((port, index) => [port, String(claimed[index])]))
  const server = blocks.some(needsServer) ? await prepareServer(workspace, ports) : undefined
  const background = new Map<string, () => string>()
  let last: Ran | undefined
  let lastId = ''
  for (const [index, block] of blocks.entries()) {
    const { line, language, use } = block
    const text = block.text
      .replace(/\b\d{4}\b/g, (number) => ports.get(number) ?? number)
      // What a reader copies from what was printed before.
      .replaceAll('80:…', use.kind === 'run' ? lastId : '80:…')
    const where = `line ${line}: ${text}`
    if (use.kind === 'server') await server?.restart(settingsIn(text))
    if (use.kind === 'file') await workspace.write(use.name, `${text}\n`)
    if (use.kind === 'run' || use.kind === 'background') await server?.start()
    if (use.kind === 'background') background.set(use.name, await workspace.startInBackground(text, server?.env ?? {}))
    if (use.kind === 'run') {
      const command = await commandOf(workspace, { ...block, text })
      const run = async (): Promise<Ran> => {
        const ran = await workspace.run(command, server?.env ?? {})
        expect(ran.code === use.exit || ran, where).toBe(true)
        return ran
      }
      last = await (use.again ? runUntilShown(run, blocks[index + 1]) : run())
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

/** Until it prints what a block shows; that this never comes is told where the block is compared. */
async function runUntilShown(run: () => Promise<Ran>, shown: Block | undefined): Promise<Ran> {
  if (shown?.use.kind !== 'output') throw new Error('behind a block that is run again stands what it prints')
  for (let tries = 1; ; tries++) {
    const ran = await run()
    if (tries === 100 || differenceFrom(shown.text, ran.stdout, shown.language) === undefined) return ran
  }
}

/** Whether a block starts the server, or speaks to it: most do. */
const needsServer = ({ language, use, text }: Block): boolean =>
  use.kind === 'server' || language === 'graphql' || /muster|examples\/|:4000/.test(text)

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
    // A reader looks at a device a moment after it was there; here that moment may be long.
    MUSTER_PRESENCE_HOLD: '600',
  }
  const env: Record<string, string> = { DATABASE_URL }
  let running: ServerProcess | undefined
  const restart: PageServer['restart'] = async (settings) => {
    await running?.stop()
    const archive = settings.MUSTER_ARCHIVE_DIR
    // Only the embedded database has an archive, for the server as for commands.
    if (archive !== undefined) env.DATABASE_URL = ''
    const folders: Record<string, string> =
      archive === undefined ? {} : { MUSTER_ARCHIVE_DIR: join(workspace.path, archive) }
    running = await startServerProcess({ ...own, ...env, ...settings, ...folders })
  }
  return { env, restart, start: async () => void (running ?? (await restart({}))) }
}

/** The variables that a command line such as `A=1 B=2 npm start` sets. */
function settingsIn(command: string): Record<string, string> {
  if (!/npm start$/.test(command.trim())) throw new Error(`a block tagged server ends in npm start, not as ${command}`)
  return Object.fromEntries([...command.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]))
}
