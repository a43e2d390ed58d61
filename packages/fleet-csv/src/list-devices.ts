import { type Api, codeOf } from './api.ts'

export interface DeviceFilter {
  id?: readonly string[] | undefined
  where?: string | undefined
  view?: string | undefined
  name?: string | undefined
  state?: string | undefined
  platform?: readonly string[] | undefined
  application?: readonly number[] | undefined
  attributes?: Readonly<Record<string, unknown>> | undefined
  context?: string | undefined
}

export interface ListOptions {
  filter?: DeviceFilter | undefined
  /** Sort keys. Default: the ID, which never changes, so the list contains each device exactly once. */
  sortBy?: readonly string[] | undefined
  /** The fields to select for each device. The variable `$context` contains the context of the filter. */
  select: string
  signal?: AbortSignal | undefined
}

const PAGE = 1000

interface DeviceListResponse<Item> {
  login: { devices: { items: Item[]; hasMore: boolean; cursor: string | null } }
}

/** Lists devices in pages. If a response would be too large, requests the page again with half as many devices. */
export async function* listDevices<Item>(
  api: Api,
  { filter = {}, sortBy = ['id asc'], select, signal }: ListOptions,
): AsyncGenerator<Item[], void, undefined> {
  const document = `query Devices($size: Int!, $after: ID, $sortBy: [String!], ${declared}) {
    login { devices(size: $size, after: $after, sortBy: $sortBy, ${passed}) { items { ${select} } hasMore cursor } } }`
  let size = PAGE
  let after: string | null = null
  for (;;) {
    const response: DeviceListResponse<Item> | undefined = await api
      .query<DeviceListResponse<Item>>(document, { ...filter, sortBy, size, after }, { signal })
      .catch((error: unknown) => {
        if (size > 1 && tooBig.has(codeOf(error))) return undefined
        throw error
      })
    if (response === undefined) {
      size = Math.ceil(size / 2)
      continue
    }
    const { items, hasMore, cursor }: DeviceListResponse<Item>['login']['devices'] = response.login.devices
    yield items
    if (!hasMore || cursor === null) return
    after = cursor
  }
}

export async function countDevices(api: Api, signal?: AbortSignal): Promise<number> {
  const document = '{ login { devices(size: 1) { total } } }'
  const { login } = await api.query<{ login: { devices: { total: number } } }>(document, {}, { signal })
  return login.devices.total
}

const tooBig: ReadonlySet<string | undefined> = new Set(['LIMIT_EXCEEDED', 'QUERY_TOO_COMPLEX'])

const types: Record<keyof DeviceFilter, string> = {
  id: '[String!]',
  where: 'String',
  view: 'ID',
  name: 'String',
  state: 'String',
  platform: '[String!]',
  application: '[Int!]',
  attributes: 'Object',
  context: 'String',
}
const declared = Object.entries(types)
  .map(([name, type]) => `$${name}: ${type}`)
  .join(', ')
const passed = Object.keys(types)
  .map((name) => `${name}: $${name}`)
  .join(', ')
