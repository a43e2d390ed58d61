// This code never runs. It fails to compile if the types do not detect a mistake.
import { Muster, type Selection, type TypedDocument } from '../src/index.ts'

const muster = new Muster({ url: 'http://localhost', keyId: 'k', secret: 'cw==' })

/** Whether two types are identical. `any` is identical only to `any`. */
type Is<Found, Expected> = (<T>() => T extends Found ? 1 : 2) extends <T>() => T extends Expected ? 1 : 2 ? true : false
const is = <Found, Expected>(_: Is<Found, Expected>): void => {}

export async function resultsHaveTheTypeOfTheSelection(): Promise<void> {
  const result = await muster.select({
    version: true,
    'me: login': {
      devices: { $: { size: 1, platform: ['linux'] }, total: true, items: { name: true, platform: true } },
      'ofLab: attribute': { $: { name: 'site', context: 'lab' } },
    },
  })
  is<typeof result.version, string>(true)
  is<NonNullable<typeof result.me>['ofLab'], string | null>(true)
  is<NonNullable<typeof result.me>['devices']['total'], number>(true)
  is<NonNullable<typeof result.me>['devices']['items'], { name: string; platform: string | null }[]>(true)
  // @ts-expect-error login may be null
  result.me.devices
  // @ts-expect-error a field that was not selected
  result.me?.devices.items[0]?.state

  const created = await muster.mutate({ registerDevice: { $: { name: 'x' }, device: { id: true }, secret: true } })
  is<typeof created.registerDevice, { device: { id: string }; secret: string | null }>(true)

  for await (const device of muster.devices({ select: { id: true, services: { port: true } } }))
    is<typeof device, { id: string; services: { port: number | null }[] }>(true)
  for await (const device of muster.devices()) is<typeof device.owner.email, string>(true)

  const removed = await muster.mutations.deleteDevice({ deviceId: 'x', force: true })
  is<typeof removed, boolean>(true)

  const chosen: Selection<'Device'> = { id: true }
  for await (const device of muster.devices({ select: chosen })) is<typeof device.name, string | undefined>(true)

  const document = {} as TypedDocument<{ total: number }, { name: string }>
  const { total } = await muster.query(document, { name: 'x' })
  is<typeof total, number>(true)
  // @ts-expect-error a missing variable
  await muster.query(document)
  // @ts-expect-error a variable of another type
  await muster.query(document, { name: 1 })
}

export async function mistakesDoNotCompile(): Promise<void> {
  // @ts-expect-error an unknown field
  await muster.select({ login: { emial: true } })
  // @ts-expect-error an unknown field at the root
  await muster.select({ logn: { email: true } })
  // @ts-expect-error an unknown field under an alias
  await muster.select({ 'me: login': { 'mail: emial': true } })
  // @ts-expect-error an unknown nested field
  await muster.select({ login: { devices: { items: { services: { prt: true } } } } })
  // @ts-expect-error a field of another type
  await muster.select({ login: { hardwareId: true } })
  // @ts-expect-error no fields of an object selected
  await muster.select({ login: true })
  // @ts-expect-error no fields of an object selected
  await muster.select({ login: { devices: {} } })
  // @ts-expect-error arguments alone select nothing
  await muster.select({ login: { devices: { $: { size: 1 } } } })
  // @ts-expect-error fields of a value selected
  await muster.select({ version: { major: true } })
  // @ts-expect-error an unknown argument
  await muster.select({ login: { devices: { $: { sise: 1 }, total: true } } })
  // @ts-expect-error an argument of another type
  await muster.select({ login: { devices: { $: { size: '1' }, total: true } } })
  // @ts-expect-error an argument of another enumeration
  await muster.select({ login: { events: { $: { types: ['DEVICE_STAT'] }, total: true } } })
  // @ts-expect-error a missing argument
  await muster.select({ login: { device: { id: true } } })
  // @ts-expect-error a missing argument of a value
  await muster.select({ login: { attribute: true } })
  // @ts-expect-error arguments for a field that takes none
  await muster.select({ version: { $: { full: true } } })
  // @ts-expect-error false is not a selection
  await muster.select({ version: false })
  // @ts-expect-error a mutation is not a query
  await muster.select({ deleteDevice: { $: { deviceId: 'x' } } })
  // @ts-expect-error a missing argument of a mutation
  await muster.mutate({ deleteDevice: { $: { force: true } } })
  // @ts-expect-error an unknown mutation
  await muster.mutations.removeDevice({ deviceId: 'x' })
  // @ts-expect-error an unknown argument of a mutation
  await muster.mutations.deleteDevice({ deviceId: 'x', forced: true })
  // @ts-expect-error attributes are strings, or groups of strings
  await muster.attributes.set('x', { site: 1 })
  // @ts-expect-error an unknown filter
  muster.devices({ plattform: ['linux'] })
  // @ts-expect-error an unknown field of a list
  muster.devices({ select: { nmae: true } })
  // @ts-expect-error the list manages its cursor itself
  muster.devices({ from: 1 })
  // @ts-expect-error a missing option
  muster.deliveries({})
  // @ts-expect-error an unknown field of an event
  muster.events({ select: { typ: true } })
  // @ts-expect-error an unknown event type
  muster.events({ types: ['DEVICE_STAT'] })
}
