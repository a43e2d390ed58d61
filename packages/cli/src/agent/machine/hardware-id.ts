import { createHmac, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** The identity of a machine. */
export interface HardwareId {
  id: string
  from: 'machine-id' | 'product-uuid' | 'made-up'
}

/** The agent's application id, so that its derived ids differ from those of other programs. */
export const APPLICATION = '6f1c5f0e2f6b4d0c9a5f0e7b3c8d21a4'

const MACHINE_ID = '/etc/machine-id'
const PRODUCT_UUID = '/sys/class/dmi/id/product_uuid'

/** Derives this machine's hardware id from its machine id, else from its mainboard. Else generates one, which must be stored. */
export async function findHardwareId(): Promise<HardwareId> {
  const machineId = await readId(MACHINE_ID)
  if (machineId !== undefined) return { id: derivedId(machineId), from: 'machine-id' }
  const product = await readId(PRODUCT_UUID)
  if (product !== undefined) return { id: derivedId(product), from: 'product-uuid' }
  return { id: randomUUID().replaceAll('-', ''), from: 'made-up' }
}

/** The 32 hex digits of a file, or undefined if it has none or has a placeholder for "not set". */
async function readId(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const digits = text.trim().replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) && !/^(.)\1*$/.test(digits) ? digits : undefined
}

/**
 * Derives an id that is as stable as the machine id but does not reveal it. machine-id(5) asks programs to keep it secret.
 * The algorithm is that of sd_id128_get_machine_app_specific(3): HMAC-SHA256 keyed with the id, as a version 4 UUID.
 */
export function derivedId(machineId: string): string {
  const hash = createHmac('sha256', Buffer.from(machineId, 'hex')).update(Buffer.from(APPLICATION, 'hex')).digest()
  const id = hash.subarray(0, 16)
  id[6] = (id[6]! & 0x0f) | 0x40
  id[8] = (id[8]! & 0x3f) | 0x80
  return id.toString('hex')
}
