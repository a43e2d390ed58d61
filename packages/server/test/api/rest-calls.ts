import { type Route, routeName } from '../../src/rest/route.ts'
import type { OwnedObjects } from '../access/owned-objects.ts'

export interface RestCall {
  path: string
  body?: Record<string, unknown>
}

/** A body with all members, for each route that accepts an object with fixed members. */
const bodies: Record<string, (own: OwnedObjects) => Record<string, unknown>> = {
  'POST /devices': () => ({
    name: 'gate',
    hardwareId: 'rest-1',
    platform: 'linux',
    services: [{ name: 'ssh', application: 28, host: 'localhost', port: 2222, enabled: false }],
    attributes: { site: 'oslo', net: { ssid: 'lab' } },
  }),
  'POST /devices/delete': ({ device }) => ({ deviceId: [device], force: true }),
  'POST /devices/transfer': ({ device }) => ({ accountId: 'x', deviceId: [device] }),
  'PATCH /devices/{id}': () => ({ name: 'gate', hardwareId: null, platform: null }),
  'DELETE /devices/{id}': () => ({ force: true }),
  'POST /devices/{id}/secret': () => ({ allow: true }),
  'POST /devices/{id}/services': () => ({
    name: 'web',
    application: 8,
    host: 'localhost',
    port: 8080,
    enabled: false,
  }),
  'PATCH /services/{id}': () => ({ name: 'web', application: 8, host: null, port: null, enabled: false }),
  'PUT /services/{id}/name': () => ({ name: 'web' }),
  'PUT /services/{id}/state': () => ({ state: 'active', ttl: 60 }),
  'PUT /freshness/{name}': () => ({ seconds: 60 }),
  'PATCH /attributes': ({ device }) => ({ items: [{ serviceId: device, attributes: { site: 'oslo' }, context: 'x' }] }),
  'POST /access-keys': () => ({
    name: 'dashboard',
    readOnly: true,
    requireDigest: true,
    expires: '2099-01-01',
    publicKey: null,
    access: { permissions: ['DEVICE_READ'] },
    networks: ['127.0.0.0/8', '::1'],
    personal: false,
    rateShare: 50,
  }),
  'PATCH /access-keys/{key}': () => ({
    name: 'dashboard',
    enabled: true,
    access: { permissions: ['DEVICE_READ', 'KEY_MANAGE'] },
    expires: '2099-01-01',
    networks: ['127.0.0.0/8', '::1'],
    rateShare: 50,
  }),
  'POST /access-keys/{key}/rotate': () => ({ overlap: 60, publicKey: null }),
  'PATCH /key-policy': () => ({
    maxDays: null,
    personalKeys: true,
    requireDigest: false,
    requireNetworks: false,
    enforcedFrom: '2099-01-01',
  }),
  'POST /registration-codes': () => ({
    name: 'gate',
    platform: 'linux',
    services: [{ name: 'ssh', port: 22 }],
    attributes: { site: 'oslo' },
    uses: 3,
    expires: '2099-01-01',
  }),
  'POST /webhooks': ({ webhookUrl }) => ({
    url: webhookUrl,
    events: ['DEVICE_STATE'],
    name: 'x',
    enabled: false,
    where: 'name:gate',
    view: null,
    context: null,
  }),
  'PATCH /webhooks/{id}': ({ webhookUrl }) => ({
    url: webhookUrl,
    events: ['DEVICE_STATE'],
    name: null,
    enabled: false,
    where: null,
    view: null,
    context: null,
  }),
  'POST /views': () => ({
    name: 'gates',
    kind: 'DEVICES',
    where: 'name:gate',
    context: 'x',
    sortBy: ['-name'],
    columns: [{ name: 'name', label: 'Name', width: 100 }],
    description: 'every gate',
    labels: ['gates'],
    isShared: false,
  }),
  'PATCH /views/{id}': () => ({
    version: 1,
    name: 'doors',
    where: 'name:door',
    context: null,
    sortBy: ['name'],
    columns: [],
    description: null,
    labels: [],
    isShared: true,
  }),
  'DELETE /views/{id}': () => ({ replaceBy: null }),
  'POST /bulk-jobs': (own) => ({ ...bulkBody(own), open: false }),
  'POST /bulk-jobs/run': (own) => ({ ...bulkBody(own), expected: 1 }),
  'POST /bulk-jobs/{id}/append': ({ mark }) => ({ ids: [mark], csv: null }),
  'POST /bulk-jobs/{id}/start': ({ bulkToken }) => ({ token: bulkToken, expected: 1 }),
  'POST /bulk-jobs/{id}/resume': () => ({ rate: 100 }),
  'POST /bulk-jobs/{id}/retry': () => ({ statuses: ['FAILED', 'SKIPPED'] }),
  'POST /bulk-jobs/{id}/undo': () => ({ rate: 100 }),
  'POST /webhooks/{id}/secret': () => ({ overlap: 60 }),
  'PATCH /user': () => ({ email: 'fleet@example.com', name: 'fleet', signInPolicy: 'ANY' }),
  'PATCH /members/{personId}': () => ({ roleId: 'operator' }),
  'DELETE /members/{personId}': () => ({ disableKeys: true }),
  'POST /roles': () => ({ name: 'readers', access: { permissions: ['DEVICE_READ'] }, groups: ['ops'] }),
  'PATCH /roles/{id}': () => ({ name: 'readers', access: { permissions: ['EVENT_READ'] }, groups: [] }),
  'POST /invitations': () => ({
    roleId: 'viewer',
    email: 'new@example.com',
    expires: new Date(Date.now() + 86_400_000).toISOString(),
  }),
  'POST /invitations/accept': () => ({ token: 'x' }),
  'POST /webhooks/{id}/redeliver': ({ delivery }) => ({ deliveryId: delivery, since: null }),
}

function bulkBody({ device }: OwnedObjects) {
  const target = { ids: [device] }
  return {
    target,
    operations: [{ setAttributes: { attributes: { site: 'oslo' } } }],
    name: 'sites',
    rate: 100,
    maxFailures: 1,
  }
}

function bulkJobOf(own: OwnedObjects, path: string): string {
  const verb = path.slice(path.lastIndexOf('/') + 1)
  if (verb === 'append') return own.bulkDraft
  if (verb === 'pause' || verb === 'resume') return own.bulkRunning
  return verb === 'retry' || verb === 'undo' ? own.bulkDone : own.bulkJob
}

/** Values of `{id}`, keyed by the first segment of the path. */
const ids: Record<string, (own: OwnedObjects, path: string) => string> = {
  'bulk-jobs': bulkJobOf,
  accounts: ({ userId }) => userId,
  devices: ({ device }) => device,
  services: ({ service }) => service,
  invitations: ({ invitation }) => invitation,
  'registration-codes': ({ registrationCode }) => registrationCode,
  roles: ({ role }) => role,
  views: ({ view }) => view,
  webhooks: ({ webhook }) => webhook,
}

const requiredParameters: Record<string, (own: OwnedObjects) => string> = {
  '/services': ({ service, device }) => `?id=${service}&id=${device}`,
  '/devices/facets': () => '?by=name&by=platform',
  '/devices/presence': () => '?from=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z',
  '/devices/{id}/availability': () => '?from=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z',
  '/filters/check': () => '?where=name%3Aa',
  '/simulate': ({ accessKey }) => `?key=${accessKey}`,
  '/needs': () => `?document=${encodeURIComponent('query all { login { webhooks { id } } }')}`,
}

export function restCallFor(route: Route, own: OwnedObjects): RestCall {
  const body = bodyOf(route, own)
  const query = requiredParameters[route.path]?.(own) ?? ''
  return { path: fill(route.path, own) + query, ...(body && { body }) }
}

function bodyOf(route: Route, own: OwnedObjects): Record<string, unknown> | undefined {
  if (route.body === 'attributes') return { site: 'oslo', net: { ssid: 'lab' }, [own.attribute]: null }
  if (route.written?.includes('value')) return { value: 'bergen' }
  return bodies[routeName(route)]?.(own)
}

function fill(path: string, own: OwnedObjects): string {
  const [, kind = ''] = path.split('/')
  const values: Record<string, string | undefined> = {
    id: ids[kind]?.(own, path),
    key: own.accessKey,
    personId: own.member,
    name: own.attribute,
    // Only the device has an override in this context.
    context: own.context,
  }
  return path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(values[name] ?? `no ${name}`))
}

export const queryValues: Record<string, (own: OwnedObjects, path: string) => string> = {
  days: () => '30',
  size: () => '10',
  from: () => '1',
  after: (own, path) => positionIn(own, path),
  last: (own, path) => positionIn(own, path),
  sort: () => 'name%20desc',
  name: ({ mark }) => mark,
  state: (_own, path) => (path.startsWith('/bulk-jobs') ? 'READY' : 'inactive'),
  outcome: () => 'CHANGE',
  status: () => 'PENDING',
  id: ({ device }) => device,
  hardwareId: ({ hardwareId }) => hardwareId,
  platform: ({ mark }) => `${mark}-device`,
  application: () => '28',
  attributes: ({ attribute, mark }) => encodeURIComponent(JSON.stringify({ [attribute]: `${mark}-value` })),
  context: ({ context }) => context,
  where: (_own, path) => encodeURIComponent(path.startsWith('/events') ? 'type:a' : 'name:a'),
  view: ({ view, serviceView, eventView }, path) =>
    path === '/services/list' ? serviceView : path.startsWith('/events') ? eventView : view,
  label: () => 'gates',
  operationName: () => 'all',
  key: ({ accessKey }) => accessKey,
  personId: ({ member }) => member,
  roleId: ({ role }) => role,
  access: () => encodeURIComponent('{"permissions":["DEVICE_READ"]}'),
  address: () => '192.0.2.1',
  document: () => encodeURIComponent('{ login { id } }'),
  attribute: ({ attribute }) => attribute,
  variables: () => encodeURIComponent('{"id":"x"}'),
  now: () => '2026-11-20T08:30:00Z',
  sortBy: () => 'name%20desc',
  columns: () => 'name',
  by: () => 'name',
  interval: () => 'WEEK',
  intervals: () => '10',
  kind: () => 'DEVICES',
  usage: () => 'VIEW',
  cursor: () => '2',
  total: () => 'false',
  minDate: () => '2020-01-01',
  maxDate: () => '2099-01-01T00:00:00%2B01:00',
  types: () => 'DEVICE_REGISTER',
  deviceId: ({ device }) => device,
  failed: () => 'true',
}

function positionIn({ device, service, event, delivery, bulkJob }: OwnedObjects, path: string): string {
  if (path === '/bulk-jobs') return bulkJob
  if (path === '/services/list') return service
  if (path.endsWith('/events') || path.endsWith('/history')) return event
  return path.endsWith('/deliveries') ? delivery : device
}
