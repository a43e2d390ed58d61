import { parseArgs } from 'node:util'

export interface Options {
  /** Names of the scenarios to run. If the list is empty, all scenarios run. */
  only: readonly string[]
  rounds: number
  seconds: number
  devices: number
  quick: boolean
  profile: string | undefined
  /** Path of another checkout. Its server replaces the baselines and peers in the comparison. */
  before: string | undefined
  help: boolean
}

export const help = `npm run bench -- [options]           run the scenarios against the baselines and peers
npm run bench -- NAME [arguments]    run a standalone benchmark, such as webhooks/latency

  --quick         3 rounds of one second on 10,000 devices, which takes less than three minutes
  --only NAME     run only this scenario; repeat the option to run several scenarios
  --rounds N      number of rounds; default: 5
  --seconds N     seconds of load for each system in each round; default: 5
  --devices N     number of devices in the fleet, at least 1,000; default: 100,000
  --before DIR    compare with the server of another checkout, such as the previous commit, instead of the baselines
                  and peers; the dependencies of that checkout must be installed
  --profile DIR   write a CPU profile of the server to DIR and print a summary; this slows the server down
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
    rounds: wholeNumber('--rounds', values.rounds ?? (quick ? '3' : '5'), 1),
    seconds: positiveNumber('--seconds', values.seconds ?? (quick ? '1' : '5')),
    devices: wholeNumber('--devices', values.devices ?? (quick ? '10000' : '100000'), 1_000),
    quick,
    profile: values.profile,
    before: values.before,
    help: values.help,
  }
}

export function wholeNumber(name: string, text: string, min: number): number {
  const value = Number(text)
  if (!(Number.isSafeInteger(value) && value >= min))
    throw new Error(`${name} must be a whole number of at least ${min}, not ${text}.`)
  return value
}

export function positiveNumber(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new Error(`${name} must be a number above 0, not ${text}.`)
  return value
}
