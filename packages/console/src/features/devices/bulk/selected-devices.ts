import type { Client } from 'urql'
import type { DeviceFilter } from '../devices-search.ts'
import type { Selected } from '../selection.ts'
import { SelectedByIdDocument, type SelectedDeviceFragment, SelectedPageDocument } from './bulk.generated.ts'

export interface SelectedDevices {
  selected: Selected
  filter: DeviceFilter
}

/** An attribute whose current value the console fetches with each device. */
export interface AttributeRef {
  name: string
  context?: string
}

export interface ReadOptions {
  attribute?: AttributeRef
  signal: AbortSignal
  onProgress(read: number): void
}

const PAGE_SIZE = 500

/**
 * Fetches all selected devices. Reads devices that match a filter in ID order, so that concurrent changes neither
 * repeat nor skip a device. Throws the API's error, or the signal's reason if the signal aborts.
 */
export async function readSelected(
  client: Client,
  { selected, filter }: SelectedDevices,
  options: ReadOptions,
): Promise<SelectedDeviceFragment[]> {
  const devices: SelectedDeviceFragment[] = []
  const pages = selected.kind === 'some' ? byId(client, [...selected.ids], options) : matching(client, filter, options)
  for await (const page of pages) {
    options.signal.throwIfAborted()
    devices.push(...page.filter(({ id }) => selected.kind === 'some' || !selected.except.has(id)))
    options.onProgress(devices.length)
  }
  return devices
}

const valueVariables = ({ attribute }: ReadOptions) => ({
  name: attribute?.name ?? 'none',
  context: attribute?.context,
  overridesIn: attribute?.context ?? '',
  withValue: attribute !== undefined,
  inContext: attribute?.context !== undefined,
})

async function* byId(
  client: Client,
  ids: readonly string[],
  options: ReadOptions,
): AsyncGenerator<readonly SelectedDeviceFragment[]> {
  for (let start = 0; start < ids.length; start += PAGE_SIZE) {
    const variables = { ids: ids.slice(start, start + PAGE_SIZE), ...valueVariables(options) }
    const { data, error } = await client
      .query(SelectedByIdDocument, variables, { requestPolicy: 'network-only' })
      .toPromise()
    if (error !== undefined) throw error
    yield data?.login?.device ?? []
  }
}

async function* matching(
  client: Client,
  { context: filterContext, ...filter }: DeviceFilter,
  options: ReadOptions,
): AsyncGenerator<readonly SelectedDeviceFragment[]> {
  let after: string | null | undefined
  for (;;) {
    const variables = { ...filter, filterContext, size: PAGE_SIZE, after, ...valueVariables(options) }
    const { data, error } = await client
      .query(SelectedPageDocument, variables, { requestPolicy: 'network-only' })
      .toPromise()
    if (error !== undefined) throw error
    const list = data?.login?.devices
    yield list?.items ?? []
    if (!list?.hasMore) return
    after = list.cursor
  }
}
