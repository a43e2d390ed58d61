import type { Page } from 'playwright-core'
import { createBulkJobs } from './bulk-jobs.ts'
import type { Receivers } from './receivers.ts'
import { operationsOf, type RunOperation } from './run-operation.ts'

export interface Screen {
  name: string
  path: string
  text: string
  /** The text to scroll to before the screenshot. If omitted, the screenshot shows the top of the page. */
  scrollTo?: string
  /** The name of a button to click before the screenshot. */
  click?: string
  onPhone?: boolean
}

/** Creates sample data through the page's session. Returns the screens to take screenshots of. */
export async function prepareFleet(page: Page, receivers: Receivers): Promise<Screen[]> {
  const run = operationsOf(page)
  await labelFields(run)
  const { alerts, inventory, key } = await createWebhooks(run, receivers)
  await createTeam(run)
  const devices = await listDevices(run)
  await simulateActivity(run, devices)
  await run('mutation ($id: ID!) { testWebhook(id: $id) { id } }', { id: alerts })
  const jobs = await createBulkJobs(run)
  const device = devices[1]
  if (device === undefined)
    throw new Error(`The screenshots need at least two devices, but the fleet has ${devices.length}.`)
  return [
    { name: 'overview', path: '/overview', text: 'Longest without a report', onPhone: true },
    { name: 'devices', path: '/devices?sort=lastReported%20desc', text: 'in total', onPhone: true },
    { name: 'device', path: `/devices/${device}`, text: 'Platform', onPhone: true },
    {
      name: 'context',
      path: `/devices/${device}?context=night`,
      text: 'ot-vlan-14',
      scrollTo: 'Custom attributes',
      onPhone: true,
    },
    { name: 'history', path: `/devices/${device}`, text: 'Platform', click: 'History of firmware' },
    { name: 'services', path: '/services', text: 'in total', onPhone: true },
    { name: 'events', path: '/events', text: 'in the last month', onPhone: true },
    { name: 'changes', path: '/changes', text: 'Maintenance window', onPhone: true },
    { name: 'change-preview', path: `/changes/${jobs.ready}`, text: 'Site of gateways', onPhone: true },
    { name: 'change-running', path: `/changes/${jobs.running}`, text: 'Maintenance window' },
    { name: 'change-failures', path: `/changes/${jobs.failed}`, text: 'Clear out the lab' },
    { name: 'change-undo', path: `/changes/${jobs.undo}`, text: 'Firmware of Oslo' },
    { name: 'webhooks', path: '/webhooks', text: 'Inventory' },
    { name: 'webhook', path: `/webhooks/${inventory}`, text: 'kept for 30 days', onPhone: true },
    { name: 'access-keys', path: '/account/keys', text: 'Nightly export' },
    { name: 'access-key', path: `/account/keys/${key}`, text: 'No uses in the last 90 days' },
    { name: 'members', path: '/account/members', text: 'Technicians in Oslo' },
    { name: 'reference', path: '/graphql/v1/doc', text: 'Query' },
  ]
}

async function labelFields(run: RunOperation): Promise<void> {
  const { login } = await run<{ login: { id: string } }>('{ login { id } }')
  const attributes = { $ui: { 'label.categoryA': 'Customer', 'label.statusA': 'Health', 'label.statusB': 'Disk' } }
  await run(
    'mutation ($id: String!, $attributes: Object!) { setAttributes(serviceId: $id, attributes: $attributes) }',
    { id: login.id, attributes },
  )
}

async function createWebhooks(
  run: RunOperation,
  { succeeding, failing }: Receivers,
): Promise<{ alerts: string; inventory: string; key: string }> {
  const created = await run<Record<'alerts' | 'inventory', { id: string }> & { key: { key: string } }>(
    `mutation ($succeeding: String!, $failing: String!) {
      inventory: createWebhook(
        url: $failing, name: "Inventory", events: [DEVICE_REGISTER, DEVICE_UPDATE, DEVICE_DELETE, ATTRIBUTE_CHANGE]
      ) { id }
      alerts: createWebhook(url: $succeeding, name: "Night shift alerts") { id }
      tickets: createWebhook(url: $succeeding, name: "Tickets", events: [SERVICE_REMOVE], enabled: false) { id }
      key: createAccessKey(
        name: "Nightly export", readOnly: true, networks: ["192.0.2.0/24"], rateShare: 20
        access: { permissions: [DEVICE_READ, EVENT_READ] }
      ) { key }
      createRegistrationCode(name: "meter", uses: 200) { code }
    }`,
    { succeeding, failing },
  )
  return { alerts: created.alerts.id, inventory: created.inventory.id, key: created.key.key }
}

async function createTeam(run: RunOperation): Promise<void> {
  await run(`mutation {
    createRole(name: "Technicians in Oslo", access: {
      permissions: [DEVICE_READ, EVENT_READ, ATTRIBUTE_WRITE], where: "name:oslo"
      attributes: { read: ["*"], write: ["status.*", "firmware"] }
    }) { id }
    createInvitation(roleId: "operator", email: "lin@example.com") { id }
  }`)
}

async function listDevices(run: RunOperation): Promise<string[]> {
  const document = '{ login { devices(size: 40, sort: "name asc") { items { id } } } }'
  const { login } = await run<{ login: { devices: { items: { id: string }[] } } }>(document)
  return login.devices.items.map(({ id }) => id)
}

const health = ['update due', 'warning', 'ok', 'error']

async function simulateActivity(run: RunOperation, devices: readonly string[]): Promise<void> {
  const state = 'mutation ($id: String!, $state: String!) { reportState(serviceId: $id, state: $state, ttl: 86400) }'
  const set = `mutation ($id: String!, $attributes: Object!, $context: String) {
    setAttributes(serviceId: $id, attributes: $attributes, context: $context)
  }`
  for (const [index, id] of devices.entries()) {
    await run(state, { id, state: index % 4 === 3 ? 'inactive' : 'active' })
    if (index % 3 === 0) await run(set, { id, attributes: { $svc: { statusA: health[(index / 3) % health.length] } } })
    if (index % 5 === 1) await run(set, { id, attributes: { volume: '70', net: { ssid: 'ot-vlan-14' } } })
  }
  const nightValues = { volume: '10', firmware: '3.0.0' }
  await run(set, { id: devices[1], attributes: nightValues, context: 'night' })
  await run('mutation ($id: String!) { updateDevice(deviceId: $id, platform: "Debian 13 arm64") { id } }', {
    id: devices[1],
  })
  await run(
    `mutation { registerDevice(name: "gateway-tromsø-1", platform: "Debian 13 arm64", services: [{ name: "ssh", port: 22 }]) { secret } }`,
  )
}
