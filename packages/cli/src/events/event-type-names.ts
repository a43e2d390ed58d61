import type { EventType, Muster } from '@muster/client'

export async function eventTypeNames(muster: Muster): Promise<EventType[]> {
  const document = '{ __type(name: "EventType") { enumValues { name } } }'
  const { __type } = await muster.query<{ __type: { enumValues: { name: EventType }[] } }>(document)
  return __type.enumValues.map(({ name }) => name)
}
