import type { EventType, Muster } from '@muster/client'
import { namesWithCommas } from '../options/option-values.ts'

/** Parses event types in the notation of the schema (`DEVICE_STATE`) or of webhooks (`device.state`). */
export const eventTypes = (text: string, before: readonly EventType[] = []): EventType[] =>
  // The server rejects unknown types, so the CLI does not check them.
  namesWithCommas(text, before).map((name) => name.toUpperCase().replaceAll(/[.-]/g, '_') as EventType)

export async function eventTypeNames(muster: Muster): Promise<EventType[]> {
  const document = '{ __type(name: "EventType") { enumValues { name } } }'
  const { __type } = await muster.query<{ __type: { enumValues: { name: EventType }[] } }>(document)
  return __type.enumValues.map(({ name }) => name)
}
