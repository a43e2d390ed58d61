import type { Muster, ServiceInput } from '@muster/client'
import { toServiceFields } from '@muster/fleet-csv/csv/device-services'
import { parseServices } from '@muster/fleet-csv/csv/services-cell'
import { usageError } from '../cli-error.ts'

export const serviceHelp = `
A service is written [!][name=]type[:host][:port], as in the files of "muster import":
  ssh              type ssh, its usual port, called ssh
  web=http:8080    type http, port 8080, called web
  !web=http        disabled`

/** Services as they are written in files and options; their types are looked up. */
export async function readServices(muster: Muster, entries: readonly string[]): Promise<ServiceInput[]> {
  if (entries.length === 0) return []
  const { applicationTypes } = await muster.select({ applicationTypes: { id: true, name: true, port: true } })
  try {
    return entries.flatMap(parseServices).map((entry) => toServiceFields(entry, applicationTypes))
  } catch (error) {
    throw usageError((error as Error).message.replace(/^services: /, ''), '"muster services types" lists the types.')
  }
}
