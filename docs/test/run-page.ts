import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { databaseUrl } from '../../packages/cli/test/harness/muster.ts'
import { createTestDatabase } from '../../packages/server/test/database/test-database.ts'
import { claimPorts } from '../../packages/server/test/harness/ports.ts'
import { type ServerProcess, startServerProcess } from '../../packages/server/test/harness/server-process.ts'
import type { Block } from './blocks.ts'
import { containsLines, describeDifference } from './compare-output.ts'
import { type CommandResult, openWorkspace, type Workspace } from './workspace.ts'

/** Ports that pages use for HTTP, MQTT, and a webhook receiver. */
const documentedPorts = ['4000', '1883', '8080']

/** Functions that return the command to run a file, keyed by language. */
const runners: Record<string, (file: string) => string> = {
  js: (file) => `node ${file}`,
  ts: (file) => `node ${file}`,
  python: (file) => `python3 ${file}`,
  go: (file) => `go run ${file}`,
  graphql: (file) => `muster query --file ${file}`,
}
const endings: Record<string, string> = { js: 'mjs', ts: 'ts', python: 'py', go: 'go', graphql: 'graphql' }

/**
 * Runs the blocks of a page from top to bottom, and checks exit codes and output. If a block needs a server, starts one
 * with a separate database.
 */
export async function runPage(blocks: readonly Block[]): Promise<void> {
  const workspace = await openWorkspace()
  const claimed = await claimPorts(documentedPorts.length)
  const ports = new Map(documentedPorts.map((port, index) => [port, String(claimed[index])]))
  const server = blocks.some(needsServer) ? await prepareServer(workspace, ports) : undefined
  const background = new Map<string, () => string>()
  let last: CommandResult | undefined
  let lastId = ''
  for (const [index, block] of blocks.entries()) {
    const { line, language, use } = block
    const text = block.text
      .replace(/\b\d{4}\b/g, (number) => ports.get(number) ?? number)
      // Replace the placeholder with the ID that a reader copies from the output of an earlier block.
      .replaceAll('80:…', use.kind === 'run' ? lastId : '80:…')
    const where = `line ${line}: ${text}`
    if (use.kind === 'server') await server?.restart(settingsIn(text))
    if (use.kind === 'file') await workspace.write(use.name, `${text}\n`)
    if (use.kind === 'run' || use.kind === 'background') await server?.start()
    if (use.kind === 'background') background.set(use.name, await workspace.startInBackground(text, server?.env ?? {}))
    if (use.kind === 'run') {
      const command = await commandOf(workspace, { ...block, text })
      const run = async (): Promise<CommandResult> => {
        const ran = await workspace.run(command, server?.env ?? {})
        expect(ran.code === use.exit || ran, where).toBe(true)
        return ran
      }
      last = await (use.again ? runUntilShown(run, line, blocks[index + 1]) : run())
      lastId = last.stdout.match(/80(?::[0-9a-f]{2}){7}/g)?.at(-1) ?? lastId
    }
    if (use.kind === 'errors') expect(describeDifference(text, last?.stderr ?? '', language), where).toBeUndefined()
    if (use.kind === 'output' && use.of === undefined) {
      expect(describeDifference(text, last?.stdout ?? '', language), where).toBeUndefined()
    } else if (use.kind === 'output') {
      const printed = background.get(use.of ?? '')
      if (printed === undefined)
        throw new Error(
          `line ${line}: no program "${use.of}" is running; start it in a block with background=${use.of}`,
        )
      await expect
        .poll(() => containsLines(text, printed()) || printed(), { message: where, timeout: 300_000 })
        .toBe(true)
    }
  }
}

/** Repeats a command until its output matches the next block, at most 100 times. Returns the last result. */
async function runUntilShown(
  run: () => Promise<CommandResult>,
  line: number,
  shown: Block | undefined,
): Promise<CommandResult> {
  if (shown?.use.kind !== 'output')
    throw new Error(`line ${line}: a block tagged "run again" must be followed by a block tagged "output"`)
  for (let tries = 1; ; tries++) {
    const ran = await run()
    if (tries === 100 || describeDifference(shown.text, ran.stdout, shown.language) === undefined) return ran
  }
}

const needsServer = ({ language, use, text }: Block): boolean =>
  use.kind === 'server' || language === 'graphql' || /muster|examples\/|:4000/.test(text)

/**
 * Returns the text of a shell block. For other blocks, writes the text to a file and returns a command that runs the
 * file.
 */
async function commandOf(workspace: Workspace, { line, language, text }: Block): Promise<string> {
  const runner = runners[language]
  if (runner === undefined) return text
  const file = `line-${line}.${endings[language]}`
  await workspace.write(file, `${text}\n`)
  return runner(file)
}

interface PageServer {
  env: Record<string, string>
  /** Starts the server unless it is running. */
  start(): Promise<void>
  /** Starts or restarts the server with the given settings. */
  restart(settings: Record<string, string>): Promise<void>
}

async function prepareServer(workspace: Workspace, ports: ReadonlyMap<string, string>): Promise<PageServer> {
  const { connection, drop } = await createTestDatabase()
  onTestFinished(drop)
  const DATABASE_URL = databaseUrl(connection)
  const defaults = {
    DATABASE_URL,
    PORT: ports.get('4000') ?? '',
    MUSTER_MQTT_PORT: ports.get('1883') ?? '',
    MUSTER_DATA: join(workspace.path, 'data'),
    MUSTER_LOG_LEVEL: 'warn',
    // Keep a device active after its connection closes, because this test views the device later than a reader does.
    MUSTER_PRESENCE_HOLD: '600',
  }
  const env: Record<string, string> = { DATABASE_URL }
  let running: ServerProcess | undefined
  const restart: PageServer['restart'] = async (settings) => {
    await running?.stop()
    const archive = settings.MUSTER_ARCHIVE_DIR
    // Use the embedded database for the server and the commands, because external databases do not support an archive.
    if (archive !== undefined) env.DATABASE_URL = ''
    const folders: Record<string, string> =
      archive === undefined ? {} : { MUSTER_ARCHIVE_DIR: join(workspace.path, archive) }
    running = await startServerProcess({ ...defaults, ...env, ...settings, ...folders })
  }
  return { env, restart, start: async () => void (running ?? (await restart({}))) }
}

/** Returns the variables that a command such as `A=1 B=2 npm start` sets. */
function settingsIn(command: string): Record<string, string> {
  if (!/npm start$/.test(command.trim()))
    throw new Error(`a block tagged "server" must end with "npm start", as in "A=1 npm start", but is: ${command}`)
  return Object.fromEntries([...command.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]))
}
