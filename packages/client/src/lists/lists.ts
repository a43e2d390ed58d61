import { NotFoundError } from '../errors.ts'
import { plainSelection } from '../select/build-document.ts'
import type { List } from './list.ts'
import { listOf, partsOf, type RunQuery } from './list-of.ts'
import type {
  DeliveryListOptions,
  DeviceListOptions,
  PastEventListOptions,
  ServiceListOptions,
} from './list-options.ts'

/** Devices per page of services. The number is low, because each device can have up to 100 services. */
const DEFAULT_DEVICES = 200
/** Deliveries per page. The number is low, because each delivery contains the body of a request. */
const DEFAULT_DELIVERIES = 100
/** The default start of past events. Without it, the API would list only the events of one month. */
const BEGINNING = '1970-01-01T00:00:00Z'

type Selecting<Options> = Options & { select?: unknown }

export function listDevices<Item>(run: RunQuery, options: Selecting<DeviceListOptions>): List<Item> {
  const { filter, select = plainSelection('Device'), ...rest } = partsOf(options)
  // Sort by ID by default: IDs never change, so a loop over the list neither skips nor repeats a device that changes.
  const order = { sort: 'id asc', ...filter }
  return listOf<Item>({
    run,
    ...rest,
    items: select,
    buildQuery: (members, page) => ({ login: { devices: { $: { ...order, ...page }, ...members } } }),
    find: ({ login }) => (login as { devices: unknown }).devices,
  })
}

export function listServices<Item>(run: RunQuery, options: Selecting<ServiceListOptions>): List<Item> {
  const { filter, select = plainSelection('Service'), ...rest } = partsOf(options)
  const { deviceId, ...ofServices } = filter
  const ofDevices = {
    sort: 'id asc',
    ...(deviceId === undefined ? {} : { id: typeof deviceId === 'string' ? [deviceId] : deviceId }),
    ...(ofServices.application === undefined ? {} : { application: ofServices.application }),
  }
  return listOf<Item>({
    run,
    ...rest,
    defaultSize: DEFAULT_DEVICES,
    items: { services: { $: ofServices, ...select } },
    buildQuery: (members, page) => ({ login: { devices: { $: { ...ofDevices, ...page }, ...members } } }),
    find: ({ login }) => (login as { devices: unknown }).devices,
    toItems: (devices: { services: Item[] }[]) => devices.flatMap(({ services }) => services),
    async countAll() {
      const all = listServices(run, { ...options, after: undefined, select: { id: true } })
      let total = 0
      for await (const { items } of all.pages()) total += items.length
      return total
    },
  })
}

export function listPastEvents<Item>(run: RunQuery, options: Selecting<PastEventListOptions>): List<Item> {
  const { filter, select = plainSelection('Event'), ...rest } = partsOf(options)
  const dated = { ...filter, minDate: filter.minDate ?? BEGINNING }
  return listOf<Item>({
    run,
    ...rest,
    items: select,
    buildQuery: (members, page) => ({ login: { events: { $: { ...dated, ...page }, ...members } } }),
    find: ({ login }) => (login as { events: unknown }).events,
  })
}

export function listDeliveries<Item>(run: RunQuery, options: Selecting<DeliveryListOptions>): List<Item> {
  const { filter, select = plainSelection('WebhookDelivery'), ...rest } = partsOf(options)
  const { webhookId, ...which } = filter
  return listOf<Item>({
    run,
    ...rest,
    defaultSize: DEFAULT_DELIVERIES,
    items: select,
    buildQuery: (members, page) => ({
      login: { webhooks: { $: { id: [webhookId] }, deliveries: { $: { ...which, ...page }, ...members } } },
    }),
    find({ login }) {
      const [webhook] = (login as { webhooks: { deliveries: unknown }[] }).webhooks
      if (webhook === undefined)
        throw new NotFoundError('NOT_FOUND', `no webhook has the ID ${JSON.stringify(webhookId)}`)
      return webhook.deliveries
    },
  })
}
