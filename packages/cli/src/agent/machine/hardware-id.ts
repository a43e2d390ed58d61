import { createHmac, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'

export interface HardwareId {
  id: string
  from: 'machine-id' | 'product-uuid' | 'made-up'
}

/** Application ID. It ensures that the hardware ID differs from IDs that other programs derive from the machine ID. */
const APPLICATION = '6f1c5f0e2f6b4d0c9a5f0e7b3c8d21a4'

const MACHINE_ID = '/etc/machine-id'
const PRODUCT_UUID = '/sys/class/dmi/id/product_uuid'

/**
 * Derives the hardware ID from the machine ID or, without one, from the product UUID of the hardware. Without either,
 * generates an ID, which the caller must store.
 */
export async function findHardwareId(): Promise<HardwareId> {
  const machineId = await readId(MACHINE_ID)
  if (machineId !== undefined) return { id: derivedId(machineId), from: 'machine-id' }
  const product = await readId(PRODUCT_UUID)
  if (product !== undefined) return { id: derivedId(product), from: 'product-uuid' }
  return { id: randomUUID().replaceAll('-', ''), from: 'made-up' }
}

/** Reads an ID of 32 hexadecimal digits, with or without hyphens. Ignores an ID whose digits are all equal. */
async function readId(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const digits = text.trim().replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) && !/^(.)\1*$/.test(digits) ? digits : undefined
}

/**
 * Returns an ID that does not reveal the machine ID, because machine-id(5) requires the machine ID to remain
 * confidential. The algorithm is that of sd_id128_get_machine_app_specific(3).
 */
export function derivedId(machineId: string): string {
  const hash = createHmac('sha256', Buffer.from(machineId, 'hex')).update(Buffer.from(APPLICATION, 'hex')).digest()
  const id = hash.subarray(0, 16)
  id[6] = (id[6]! & 0x0f) | 0x40
  id[8] = (id[8]! & 0x3f) | 0x80
  return id.toString('hex')
}
