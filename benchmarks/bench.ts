// `npm run bench` compares the server with baselines and similar servers. If the first argument is the name of a
// standalone benchmark, the command runs only that benchmark.
import { mkdir, writeFile } from 'node:fs/promises'
import { installPeers } from './environment/install-peers.ts'
import { createPeerSchema } from './environment/peer-schema.ts'
import { type StartedEnvironment, startEnvironment } from './environment/start-environment.ts'
import { peers, type System, systems } from './environment/systems.ts'
import { startAutocannonLoad } from './load/autocannon-load.ts'
import type { Load } from './load/load.ts'
import { nodeHttpLoad } from './load/node-http-load.ts'
import { readExplanations } from './report/explanations.ts'
import { describeMachine } from './report/machine.ts'
import { summarizeProfile } from './report/profile.ts'
import { type Report, toMarkdown } from './report/report.ts'
import { help, type Options, readOptions } from './run/options.ts'
import { runScript, scripts } from './run/scripts.ts'
import type { Scenario, Setting } from './scenarios/scenario.ts'
import { scenarios } from './scenarios/scenarios.ts'

const SERVICES = 4
const results = new URL('results/', import.meta.url)

async function main(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args
  if (first !== undefined && !first.startsWith('-')) return runScript(first, rest)
  const options = readOptions(args)
  if (options.help)
    return console.log(`${help}\nScenarios: ${names(scenarios)}\nStandalone benchmarks: ${scripts.join(', ')}`)
  const chosen = choose(options)
  const hasPeers = await installPeers()

  progress(`starting the server with ${options.devices} devices`)
  const environment = await startEnvironment({ ...options, services: SERVICES })
  const load = hasPeers ? startAutocannonLoad() : nodeHttpLoad
  let closing: Promise<void> | undefined
  // The signal handlers and the `finally` block call this function, which closes everything only once.
  const close = (): Promise<void> => (closing ??= load.close().then(() => environment.close()))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close().finally(() => process.exit(1)))
  try {
    const text = toMarkdown(await measure(chosen, { options, environment, load, hasPeers }))
    progress('')
    console.log(text)
    const isComplete = !options.quick && options.only.length === 0 && options.before === undefined
    await mkdir(results, { recursive: true })
    await writeFile(new URL(isComplete ? 'speed.md' : 'partial.md', results), text)
  } finally {
    await close()
  }
  if (options.profile !== undefined) await printProfile(options.profile)
}

function choose({ only }: Options): readonly Scenario[] {
  const unknown = only.find((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown !== undefined) {
    throw new Error(`Unknown scenario "${unknown}". Use one of these: ${names(scenarios)}.`)
  }
  return only.length === 0 ? scenarios : scenarios.filter(({ name }) => only.includes(name))
}

const names = (all: readonly Scenario[]): string => all.map(({ name }) => name).join(', ')

interface MeasureOptions {
  options: Options
  environment: StartedEnvironment
  load: Load
  hasPeers: boolean
}

async function measure(
  chosen: readonly Scenario[],
  { options, environment, load, hasPeers }: MeasureOptions,
): Promise<Report> {
  const { rounds, seconds, devices } = options
  const machine = await describeMachine(environment.pool)
  const { present, missing } = options.before ? withBefore : await startPeers(environment, hasPeers)
  const outcomes: Report['outcomes'][number][] = []
  for (const { name, title, measure } of chosen) {
    const setting: Setting = {
      environment,
      load,
      rounds,
      seconds,
      present,
      progress: (text) => progress(`${name}: ${text}`),
    }
    // If a scenario fails, the others still run.
    await measure(setting).then(
      (outcome) => outcomes.push({ name, title, outcome }),
      (error: Error) => {
        missing.push(`${name}: ${error.message}`)
        process.exitCode = 1
      },
    )
  }
  const method = `To measure request rates, the benchmark sent requests to the systems of a scenario in turn, for ${seconds} s each. A warm-up round came before the ${rounds} measured rounds. The benchmark sent HTTP requests with ${load.name}, and MQTT publications with its own client. The fleet has ${devices} devices with ${SERVICES} services each. Ratios compare runs of the same round.`
  return {
    machine,
    method,
    missing,
    outcomes,
    explanations: await readExplanations(new URL('shortfalls.md', import.meta.url)),
  }
}

const withBefore = { present: new Set<System>(['server', 'before']), missing: [] as string[] }

async function startPeers(environment: StartedEnvironment, hasPeers: boolean) {
  const present = new Set<System>()
  const missing: string[] = []
  if (hasPeers) await createPeerSchema(environment.pool)
  for (const system of Object.keys(systems) as System[]) {
    if (!peers.has(system)) present.add(system)
    else if (!hasPeers) missing.push(`${system}: could not install the packages of benchmarks/peers`)
    else {
      await environment.processOf(system).then(
        () => present.add(system),
        (error: Error) => missing.push(`${system}: ${error.message}`),
      )
    }
  }
  return { present, missing }
}

async function printProfile(folder: string): Promise<void> {
  console.log("The server's CPU time by function:")
  for (const { share, frame } of await summarizeProfile(folder)) console.log(`${(share * 100).toFixed(1)}%  ${frame}`)
}

/** In a terminal, each message replaces the previous one. Otherwise, each message except `''` is on a new line. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (text !== '') process.stderr.write(`${text}\n`)
}

await main(process.argv.slice(2))
