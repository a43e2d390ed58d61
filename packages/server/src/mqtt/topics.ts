import { parseId } from '../features/devices/device-id.ts'

/** The kind of a publication, which its topic determines. IDs are in lowercase. */
export type Publication =
  | { kind: 'attributes'; targetId: string }
  | { kind: 'serviceState'; serviceId: string }
  | { kind: 'services' }

/** Parses one of a device's own topics. Returns undefined for other devices' topics and for unknown topics. */
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
const LOGGED_LEVELS = 8

/** Masks all levels except IDs and known words, because any other level may be a misplaced secret. */
export const redactTopic = (topic: string): string =>
  topic
    .split('/', LOGGED_LEVELS)
    .map((level) => (topicWords.has(level) || parseId(level) !== undefined ? level : '…'))
    .join('/')

/** Returns the topic of the reply, which contains the IDs of the services that the device published. */
export const idsTopic = (topic: string): string => `${topic}/ids`

/** Checks whether a filter matches only the device's own topics, which begin with `devices/<device ID>/`. */
export function isOwnFilter(deviceId: string, filter: string): boolean {
  const [devices, owner = '', ...rest] = filter.split('/')
  return devices === 'devices' && parseId(owner) === deviceId && rest.length > 0
}
