import type { Muster, ServiceInput } from '@muster/client'
import { toServiceFields } from '@muster/fleet-csv/csv/device-services'
import { parseServices } from '@muster/fleet-csv/csv/services-cell'
import { usageError } from '../errors/cli-error.ts'

export const serviceHelp = `
Write a service as [!][name=]type[:host][:port], as in CSV files for "muster import":
  ssh              type ssh, default port, named ssh
  web=http:8080    type http, port 8080, named web
  !web=http        disabled`

export async function readServices(muster: Muster, entries: readonly string[]): Promise<ServiceInput[]> {
  if (entries.length === 0) return []
  const parsed = orUsageError(() => entries.flatMap(parseServices))
  const { applicationTypes } = await muster.select({ applicationTypes: { id: true, name: true, port: true } })
  return orUsageError(
    () => parsed.map((entry) => toServiceFields(entry, applicationTypes)),
    'To list all service types, run "muster services types".',
  )
}

function orUsageError<Value>(read: () => Value, hint?: string): Value {
  try {
    return read()
  } catch (error) {
    throw usageError((error as Error).message.replace(/^services: /, ''), hint)
  }
}
