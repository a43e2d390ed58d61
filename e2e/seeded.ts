import { type SeedDevice, seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import type { Console, Person } from './harness.ts'

export async function personWith(site: Console, devices: readonly SeedDevice[]): Promise<Person> {
  const person = await site.newPerson()
  await seedDevices(site.app.db, person.accountId, devices)
  return person
}

/** Returns devices with the names `node-1`, `node-2`, and so on. */
export const numbered = (count: number, more: (index: number) => SeedDevice = () => ({})): SeedDevice[] =>
  Array.from({ length: count }, (_, index) => ({ name: `node-${index + 1}`, ...more(index) }))
