import { parseArgs } from 'node:util'

/** How a run goes; `npm run bench -- --help` says the same. */
export interface Options {
  /** Names of scenarios; empty: all of them. */
  only: readonly string[]
  rounds: number
  /** Of load, for each contestant in each round. */
  seconds: number
  /** Of the fleet that is measured. */
  devices: number
  quick: boolean
  /** Where the server leaves a profile of its processor time; undefined for none. */
  profile: string | undefined
  /** A checkout whose server is measured beside this one, instead of floors and peers. */
  before: string | undefined
  help: boolean
}

export const help = `npm run bench -- [options]           the scenarios, against floors and peers
npm run bench -- SCRIPT [arguments]  one of the scripts beside them, such as webhooks/latency

  --quick         3 rounds of a second on 10,000 devices: under three minutes
  --only NAME     one scenario; may be given several times
  --rounds N      rounds, 5 by default
  --seconds N     seconds of load for each contestant in each round, 5 by default
  --devices N     devices of the fleet, 100,000 by default
  --before DIR    compare with the server of another checkout, such as the commit before, instead of floors and peers;
                  its dependencies must be installed
  --profile DIR   the server leaves a CPU profile there, whose gist is printed; it slows the server down
`

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      devices: { type: 'string' },
      profile: { type: 'string' },
      before: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { quick } = values
  return {
    only: values.only,
    rounds: positive(values.rounds, '--rounds', quick ? 3 : 5),
    seconds: positive(values.seconds, '--seconds', quick ? 1 : 5),
    devices: Math.max(1_000, positive(values.devices, '--devices', quick ? 10_000 : 100_000)),
    quick,
    profile: values.profile,
    before: values.before,
    help: values.help,
  }
}

function positive(text: string | undefined, name: string, fallback: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (!(value > 0)) throw new Error(`${name} must be a number above 0, not ${text}`)
  return value
}
