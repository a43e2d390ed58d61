import { createHmac, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Who a machine is. */
export interface HardwareId {
  id: string
  from: 'machine-id' | 'product-uuid' | 'made-up'
}

/** The agent's own id, which makes what it derives different from what others do. */
export const APPLICATION = '6f1c5f0e2f6b4d0c9a5f0e7b3c8d21a4'

const MACHINE_ID = '/etc/machine-id'
const PRODUCT_UUID = '/sys/class/dmi/id/product_uuid'

/** Of this machine: from its machine id, else from its mainboard, else made up, which is to be kept. */
export async function findHardwareId(): Promise<HardwareId> {
  const machineId = await readId(MACHINE_ID)
  if (machineId !== undefined) return { id: derivedId(machineId), from: 'machine-id' }
  const product = await readId(PRODUCT_UUID)
  if (product !== undefined) return { id: derivedId(product), from: 'product-uuid' }
  return { id: randomUUID().replaceAll('-', ''), from: 'made-up' }
}

/** 32 hex digits of a file; undefined where it has none, or such as stand for "not set". */
async function readId(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const digits = text.trim().replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) && !/^(.)\1*$/.test(digits) ? digits : undefined
}

/**
 * An id that is as stable as the machine's own and does not give it away: machine-id(5) asks programs not to pass it on.
 * Made as sd_id128_get_machine_app_specific(3) documents: HMAC-SHA256 keyed with the id, cut to a UUID of version 4.
 */
export function derivedId(machineId: string): string {
  const hash = createHmac('sha256', Buffer.from(machineId, 'hex')).update(Buffer.from(APPLICATION, 'hex')).digest()
  const id = hash.subarray(0, 16)
  id[6] = (id[6]! & 0x0f) | 0x40
  id[8] = (id[8]! & 0x3f) | 0x80
  return id.toString('hex')
}
