import type { Api } from '../api.ts'
import type { ApplicationType } from '../csv/device-services.ts'
import type { DeviceFile } from '../csv/read-file.ts'
import type { CsvProblem } from '../csv/rfc-4180.ts'
import { type FindOptions, findKnownDevices } from './find-known-devices.ts'
import { makePlan, type Plan } from './match-devices.ts'
import { type Limits, toWantedDevice, type WantedDevice } from './validate-row.ts'

export interface ImportPlan extends Plan {
  types: readonly ApplicationType[]
}

/** Determines the changes of an import. Reads from the API but changes nothing. */
export async function prepareImport(api: Api, file: DeviceFile, options: FindOptions): Promise<ImportPlan> {
  const { types, limits } = await readServerFacts(api, options.signal)
  const wanted: WantedDevice[] = []
  const problems: CsvProblem[] = [...file.problems]
  for (const row of file.rows) {
    try {
      wanted.push(toWantedDevice(row, types, limits))
    } catch (error) {
      problems.push({ line: row.line, reason: (error as Error).message })
    }
  }
  const plan = makePlan(wanted, await findKnownDevices(api, wanted, options))
  return { ...plan, problems: [...problems, ...plan.problems], types }
}

interface ServerFacts {
  applicationTypes: ApplicationType[]
  login: { limits: { name: string; value: number }[] }
}

async function readServerFacts(
  api: Api,
  signal: AbortSignal | undefined,
): Promise<{ types: ApplicationType[]; limits: Limits }> {
  const document = '{ applicationTypes { id name port } login { limits { name value } } }'
  const { applicationTypes, login } = await api.query<ServerFacts>(document, {}, { signal })
  return { types: applicationTypes, limits: new Map(login.limits.map(({ name, value }) => [name, value])) }
}
