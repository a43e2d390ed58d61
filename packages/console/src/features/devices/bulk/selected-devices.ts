import type { Client } from 'urql'
import type { DeviceFilter } from '../devices-search.ts'
import type { Selected } from '../selection.ts'
import { SelectedByIdDocument, type SelectedDeviceFragment, SelectedPageDocument } from './bulk.generated.ts'

export interface SelectedDevices {
  selected: Selected
  filter: DeviceFilter
}

/** The attribute whose present value is asked for with each device. */
export interface PresentValue {
  name: string
  context?: string
}

export interface ReadOptions {
  present?: PresentValue
  signal: AbortSignal
  onProgress(read: number): void
}

const PAGE = 500

/**
 * Every selected device as it is now. What matches is read in the order of ids, so that a change that is made
 * meanwhile neither repeats nor skips one. Throws the API's error, and the signal's when it was stopped.
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

const valueVariables = ({ present }: ReadOptions) => ({
  name: present?.name ?? 'none',
  context: present?.context,
  overridesIn: present?.context ?? '',
  withValue: present !== undefined,
  inContext: present?.context !== undefined,
})

async function* byId(
  client: Client,
  ids: readonly string[],
  options: ReadOptions,
): AsyncGenerator<readonly SelectedDeviceFragment[]> {
  for (let start = 0; start < ids.length; start += PAGE) {
    const variables = { ids: ids.slice(start, start + PAGE), ...valueVariables(options) }
    const { data, error } = await client
      .query(SelectedByIdDocument, variables, { requestPolicy: 'network-only' })
      .toPromise()
    if (error !== undefined) throw error
    yield data?.login?.device ?? []
  }
}

async function* matching(
  client: Client,
  { name: filterName, context: filterContext, ...filter }: DeviceFilter,
  options: ReadOptions,
): AsyncGenerator<readonly SelectedDeviceFragment[]> {
  let after: string | null | undefined
  for (;;) {
    const variables = { ...filter, filterName, filterContext, size: PAGE, after, ...valueVariables(options) }
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
