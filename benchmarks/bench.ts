// `npm run bench`: measures the server side by side with floors and peers. See README.md.
import { mkdir, writeFile } from 'node:fs/promises'
import { startAutocannon } from './load/autocannon-load.ts'
import { type Contestant, contestants, peers } from './environment/systems.ts'
import { readExplanations } from './report/explanations.ts'
import { installPeers } from './environment/install-peers.ts'
import type { Load } from './load/load.ts'
import { describeMachine } from './report/machine.ts'
import { help, type Options, readOptions } from './run/options.ts'
import { makePeerSchema } from './environment/peer-schema.ts'
import { plainLoad } from './load/node-http-load.ts'
import { summarizeProfile } from './report/profile.ts'
import { type Report, toMarkdown } from './report/report.ts'
import { runScript, scripts } from './run/scripts.ts'
import { openStage, type Stage } from './environment/start-environment.ts'
import type { Scenario, Setting } from './scenarios/scenario.ts'
import { scenarios } from './scenarios/scenarios.ts'

const SERVICES = 4
const results = new URL('results/', import.meta.url)

async function main(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args
  if (first !== undefined && !first.startsWith('-')) return runScript(first, rest)
  const options = readOptions(args)
  if (options.help) return console.log(`${help}\nScenarios: ${names(scenarios)}\nScripts: ${scripts.join(', ')}`)
  const chosen = choose(options)
  const hasPeers = await installPeers()

  progress(`starting the server on ${options.devices} devices`)
  const stage = await openStage({ ...options, services: SERVICES })
  const load = hasPeers ? startAutocannon() : plainLoad
  let closing: Promise<void> | undefined
  // Asked for by a signal, and once more by the measuring that it ends.
  const close = (): Promise<void> => (closing ??= load.close().then(() => stage.close()))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close().finally(() => process.exit(1)))
  try {
    const text = toMarkdown(await measure(chosen, { options, stage, load, hasPeers }))
    progress('')
    console.log(text)
    const isWhole = !options.quick && options.only.length === 0 && options.before === undefined
    await mkdir(results, { recursive: true })
    await writeFile(new URL(isWhole ? 'speed.md' : 'partial.md', results), text)
  } finally {
    await close()
  }
  if (options.profile !== undefined) await printProfile(options.profile)
}

function choose({ only }: Options): readonly Scenario[] {
  const unknown = only.find((name) => !scenarios.some((scenario) => scenario.name === name))
  if (unknown !== undefined) {
    throw new Error(`no scenario ${unknown}: there are ${names(scenarios)}`)
  }
  return only.length === 0 ? scenarios : scenarios.filter(({ name }) => only.includes(name))
}

const names = (all: readonly Scenario[]): string => all.map(({ name }) => name).join(', ')

interface Measuring {
  options: Options
  stage: Stage
  load: Load
  hasPeers: boolean
}

async function measure(chosen: readonly Scenario[], { options, stage, load, hasPeers }: Measuring): Promise<Report> {
  const { rounds, seconds, devices } = options
  const machine = await describeMachine(stage.pool)
  const { present, missing } = options.before ? besideBefore : await findPresent(stage, hasPeers)
  const outcomes: Report['outcomes'][number][] = []
  for (const { name, title, measure } of chosen) {
    const setting: Setting = {
      stage,
      load,
      rounds,
      seconds,
      present,
      progress: (text) => progress(`${name}: ${text}`),
    }
    // One that fails costs nobody the others.
    await measure(setting).then(
      (outcome) => outcomes.push({ name, title, outcome }),
      (error: Error) => {
        missing.push(`${name}: ${error.message}`)
        process.exitCode = 1
      },
    )
  }
  const method = `${rounds} rounds of ${seconds} s for each, in turn, by ${load.name}, on ${devices} devices with ${SERVICES} services each; ratios are of the same round.`
  return {
    machine,
    method,
    missing,
    outcomes,
    explanations: await readExplanations(new URL('shortfalls.md', import.meta.url)),
  }
}

const besideBefore = { present: new Set<Contestant>(['server', 'before']), missing: [] as string[] }

/** Starts the peers; one that does not start is left out and named. */
async function findPresent(stage: Stage, hasPeers: boolean) {
  const present = new Set<Contestant>()
  const missing: string[] = []
  if (hasPeers) await makePeerSchema(stage.pool)
  for (const contestant of Object.keys(contestants) as Contestant[]) {
    if (!peers.has(contestant)) present.add(contestant)
    else if (!hasPeers) missing.push(`${contestant}: benchmarks/peers could not be installed`)
    else {
      await stage.program(contestant).then(
        () => present.add(contestant),
        (error: Error) => missing.push(`${contestant}: ${error.message}`),
      )
    }
  }
  return { present, missing }
}

async function printProfile(folder: string): Promise<void> {
  console.log("Where the server's time went:")
  for (const { share, where } of await summarizeProfile(folder)) console.log(`${(share * 100).toFixed(1)} %  ${where}`)
}

/** On one line of a terminal, which the next text replaces. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  else if (text !== '') process.stderr.write(`${text}\n`)
}

await main(process.argv.slice(2))
