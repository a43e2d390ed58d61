import { parseId } from '../features/devices/device-id.ts'

/** What a device publishes, by the topic. Ids are as stored. */
export type Publication =
  | { kind: 'attributes'; targetId: string }
  | { kind: 'serviceState'; serviceId: string }
  | { kind: 'services' }

/** What a device says on one of its own topics; undefined for another device's and for topics that nothing is said on. */
export function readTopic(deviceId: string, topic: string): Publication | undefined {
  const [devices, owner = '', ...rest] = topic.split('/')
  if (devices !== 'devices' || parseId(owner) !== deviceId) return undefined
  if (rest.length === 1 && rest[0] === 'attributes') return { kind: 'attributes', targetId: deviceId }
  if (rest.length === 1 && rest[0] === 'services') return { kind: 'services' }
  const [services, id = '', what] = rest
  const serviceId = parseId(id)
  if (rest.length !== 3 || services !== 'services' || serviceId === undefined) return undefined
  if (what === 'attributes') return { kind: 'attributes', targetId: serviceId }
  return what === 'state' ? { kind: 'serviceState', serviceId } : undefined
}

const topicWords = new Set(['devices', 'services', 'attributes', 'state', 'ids', '+', '#'])
const TOLD_LEVELS = 8

/** A topic or filter for the log: ids and the words of ours. What else stands in one may be a secret in the wrong place. */
export const toldTopic = (topic: string): string =>
  topic
    .split('/', TOLD_LEVELS)
    .map((level) => (topicWords.has(level) || parseId(level) !== undefined ? level : '…'))
    .join('/')

/** Where the ids of the services are answered that were published on this topic. */
export const idsTopic = (topic: string): string => `${topic}/ids`

/** Whether a filter matches a device's own topics alone: its first two levels name it, whatever comes below. */
export function isOwnFilter(deviceId: string, filter: string): boolean {
  const [devices, owner = '', ...rest] = filter.split('/')
  return devices === 'devices' && parseId(owner) === deviceId && rest.length > 0
}
