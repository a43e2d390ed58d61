import type { Page } from 'playwright-core'
import { type Ask, askThrough } from './ask.ts'
import type { Receivers } from './receivers.ts'

/** A page to take a picture of, and a text that shows when it is there. */
export interface Place {
  name: string
  path: string
  text: string
  /** What stands at the top of the picture; else what the page begins with. */
  at?: string
  onPhone?: boolean
}

/** Lets a made-up fleet have a working day, through the session of the page. */
export async function furnish(page: Page, receivers: Receivers): Promise<Place[]> {
  const ask = askThrough(page)
  await labelFields(ask)
  const { alerts, inventory } = await makeWebhooks(ask, receivers)
  const devices = await listDevices(ask)
  await haveADay(ask, devices)
  await ask('mutation ($id: ID!) { testWebhook(id: $id) { id } }', { id: alerts })
  const device = devices[1]
  if (device === undefined) throw new Error('the fleet has no devices')
  return [
    { name: 'devices', path: '/devices?sort=lastReported%20desc', text: 'in total', onPhone: true },
    { name: 'device', path: `/devices/${device}`, text: 'Platform', onPhone: true },
    {
      name: 'context',
      path: `/devices/${device}?context=night`,
      text: 'ot-vlan-14',
      at: 'Custom attributes',
      onPhone: true,
    },
    { name: 'events', path: '/events', text: 'in the last month', onPhone: true },
    { name: 'webhooks', path: '/webhooks', text: 'Inventory' },
    { name: 'webhook', path: `/webhooks/${inventory}`, text: 'kept for 30 days', onPhone: true },
    { name: 'access-keys', path: '/account/keys', text: 'Nightly export' },
    { name: 'reference', path: '/graphql/v1/doc', text: 'Query' },
  ]
}

async function labelFields(ask: Ask): Promise<void> {
  const { login } = await ask<{ login: { id: string } }>('{ login { id } }')
  const attributes = { $ui: { 'label.categoryA': 'Customer', 'label.statusA': 'Health', 'label.statusB': 'Disk' } }
  await ask(
    'mutation ($id: String!, $attributes: Object!) { setAttributes(serviceId: $id, attributes: $attributes) }',
    {
      id: login.id,
      attributes,
    },
  )
}

async function makeWebhooks(ask: Ask, { well, ill }: Receivers): Promise<{ alerts: string; inventory: string }> {
  const made = await ask<Record<'alerts' | 'inventory', { id: string }>>(
    `mutation ($well: String!, $ill: String!) {
      inventory: createWebhook(
        url: $ill, name: "Inventory", events: [DEVICE_REGISTER, DEVICE_UPDATE, DEVICE_DELETE, ATTRIBUTE_CHANGE]
      ) { id }
      alerts: createWebhook(url: $well, name: "Night shift alerts") { id }
      tickets: createWebhook(url: $well, name: "Tickets", events: [SERVICE_REMOVE], enabled: false) { id }
      createAccessKey(name: "Nightly export", readOnly: true) { key }
      createRegistrationCode(name: "meter", uses: 200) { code }
    }`,
    { well, ill },
  )
  return { alerts: made.alerts.id, inventory: made.inventory.id }
}

async function listDevices(ask: Ask): Promise<string[]> {
  const document = '{ login { devices(size: 40, sort: "name asc") { items { id } } } }'
  const { login } = await ask<{ login: { devices: { items: { id: string }[] } } }>(document)
  return login.devices.items.map(({ id }) => id)
}

const health = ['update due', 'warning', 'ok', 'error']

async function haveADay(ask: Ask, devices: readonly string[]): Promise<void> {
  const state = 'mutation ($id: String!, $state: String!) { reportState(serviceId: $id, state: $state, ttl: 86400) }'
  const set = `mutation ($id: String!, $attributes: Object!, $context: String) {
    setAttributes(serviceId: $id, attributes: $attributes, context: $context)
  }`
  for (const [index, id] of devices.entries()) {
    await ask(state, { id, state: index % 4 === 3 ? 'inactive' : 'active' })
    if (index % 3 === 0) await ask(set, { id, attributes: { $svc: { statusA: health[(index / 3) % health.length] } } })
    if (index % 5 === 1) await ask(set, { id, attributes: { volume: '70', net: { ssid: 'ot-vlan-14' } } })
  }
  const quiet = { volume: '10', firmware: '3.0.0' }
  await ask(set, { id: devices[1], attributes: quiet, context: 'night' })
  await ask('mutation ($id: String!) { updateDevice(deviceId: $id, platform: "Debian 13 arm64") { id } }', {
    id: devices[1],
  })
  await ask(
    `mutation { registerDevice(name: "gateway-tromsø-1", platform: "Debian 13 arm64", services: [{ name: "ssh", port: 22 }]) { secret } }`,
  )
}
