import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { newDeviceSecret } from '../../src/features/devices/changes/device-secret.ts'
import { newId } from '../../src/features/devices/device-id.ts'
import { newCode } from '../../src/features/registration-codes/code-text.ts'
import { newMessageId } from '../../src/features/webhooks/signed-message.ts'
import { generateWebhookSecret } from '../../src/features/webhooks/webhook-secret.ts'
import type { TestUser } from '../harness/app.ts'
import { type Receiver, startReceiver } from '../harness/webhook-receiver.ts'

/** At least one object of every kind that a user can own and an argument can name. */
export interface OwnedObjects {
  /** A substring of the names, values, and other strings that the test chooses for this user. */
  mark: string
  userId: string
  device: string
  service: string
  accessKey: string
  registrationCode: string
  /** The registration code itself. `registrationCode` is its ID. */
  code: string
  deviceSecret: string
  webhook: string
  view: string
  viewName: string
  role: string
  invitation: string
  member: string
  serviceView: string
  eventView: string
  /** The ID of a bulk job in the state READY. `bulkToken` is the job's token. */
  bulkJob: string
  bulkToken: string
  /** The ID of another bulk job in the state READY. */
  bulkOther: string
  /** The IDs of bulk jobs in the states DRAFT, RUNNING, and DONE. */
  bulkDraft: string
  bulkRunning: string
  bulkDone: string
  webhookUrl: string
  webhookSecret: string
  delivery: string
  event: string
  hardwareId: string
  attribute: string
  context: string
  deviceCursor: string
  eventCursor: string
  deliveryCursor: string
}

/** Cursors, which are positions in lists and identify no object. */
export type Cursors = Pick<OwnedObjects, 'deviceCursor' | 'eventCursor' | 'deliveryCursor'>

/** Starts a webhook receiver that rejects every delivery and echoes its content in the response. */
export async function startFailingReceiver(): Promise<Receiver> {
  const receiver = await startReceiver()
  receiver.respondWith(({ text }, response) => void response.writeHead(500).end(text))
  return receiver
}

export const allowLocalWebhooks = { MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8' }

/**
 * Creates objects of every kind. The webhook sends its deliveries to the receiver, which rejects them. Sends few
 * requests with constant documents, because tests create objects hundreds of times.
 */
export async function createOwnedObjects(user: TestUser, { url }: Receiver): Promise<OwnedObjects> {
  const mark = `mark${randomUUID().slice(0, 8)}`
  const [hardwareId, attribute, context] = [`${mark}-hardware`, `${mark}_attribute`, `${mark}-context`]
  const value = `${mark}-value`
  const [webhookUrl, viewName] = [`${url}?${mark}`, `${mark}-view`]
  const { registerDevice: registered } = await user.data(
    `mutation ($name: String!, $hardwareId: String, $attributes: Object) {
      registerDevice(name: $name, hardwareId: $hardwareId, platform: $name, attributes: $attributes, services: [{ name: $name, port: 22 }]) {
        secret device { id services { id } }
      }
    }`,
    { name: `${mark}-device`, hardwareId, attributes: { [attribute]: value } },
  )
  const device = registered.device.id
  const created = await user.data(createEach, {
    items: [
      { serviceId: user.accountId, attributes: { [attribute]: value } },
      { serviceId: device, attributes: { [attribute]: `${mark}-other` }, context },
    ],
    key: `${mark}-key`,
    code: `${mark}-code`,
    webhookUrl,
    webhook: `${mark}-webhook`,
    view: viewName,
    where: `attributes.${attribute} = "${value}"`,
    role: `${mark}-role`,
    email: `${mark}@example.com`,
    serviceView: `${mark}-services`,
    eventView: `${mark}-events`,
  })
  const { code, registrationCode } = created.createRegistrationCode
  const webhook = created.createWebhook
  const member = await user.addMember!()
  const bulk = await createBulkJobs(user, { mark, device, attribute })
  const { testWebhook: delivery } = await user.data('mutation ($id: ID!) { testWebhook(id: $id) { id } }', {
    id: webhook.id,
  })
  const { login } = await user.data(
    '{ login { devices { cursor } events { cursor items { id } } webhooks { deliveries { cursor } } } }',
  )
  return {
    mark,
    userId: user.accountId,
    device,
    service: registered.device.services[0].id,
    accessKey: user.keyId,
    registrationCode: registrationCode.id,
    code,
    deviceSecret: registered.secret,
    webhook: webhook.id,
    view: created.createView.id,
    role: created.createRole.id,
    invitation: created.createInvitation.id,
    member,
    viewName,
    serviceView: created.serviceView.id,
    eventView: created.eventView.id,
    ...bulk,
    webhookUrl,
    webhookSecret: webhook.secret,
    delivery: delivery.id,
    event: login.events.items[0].id,
    hardwareId,
    attribute,
    context,
    deviceCursor: login.devices.cursor,
    eventCursor: login.events.cursor,
    deliveryCursor: login.webhooks[0].deliveries.cursor,
  }
}

const createEach = `mutation (
  $items: [AttributesInput!]!, $key: String, $code: String, $webhookUrl: String!, $webhook: String, $view: String!,
  $where: String, $role: String!, $email: String, $serviceView: String!, $eventView: String!
) {
  setAttributesMany(items: $items) { code }
  createAccessKey(name: $key) { key }
  createRegistrationCode(name: $code) { code registrationCode { id } }
  createWebhook(url: $webhookUrl, name: $webhook) { id secret }
  createView(name: $view, columns: [{ name: "name" }], where: $where) { id }
  createRole(name: $role, access: { permissions: [DEVICE_READ], attributes: { write: [] } }) { id }
  createInvitation(roleId: "viewer", email: $email) { id }
  serviceView: createView(name: $serviceView, kind: SERVICES, columns: [{ name: "port" }]) { id }
  eventView: createView(name: $eventView, kind: EVENTS, where: "type = DEVICE_REGISTER") { id }
}`

/** Creates bulk jobs in different states. The last job has nothing to change, so it ends without a worker. */
async function createBulkJobs(
  user: TestUser,
  { mark, device, attribute }: Pick<OwnedObjects, 'mark' | 'device' | 'attribute'>,
): Promise<Pick<OwnedObjects, 'bulkJob' | 'bulkToken' | 'bulkOther' | 'bulkDraft' | 'bulkRunning' | 'bulkDone'>> {
  const setting = (value: string) => [{ setAttributes: { attributes: { [attribute]: value } } }]
  const { ready, other, draft, running, done } = await user.data(
    `mutation (
      $name: String, $target: BulkTargetInput!, $ready: [BulkOperationInput!]!, $other: [BulkOperationInput!]!,
      $draft: [BulkOperationInput!]!, $running: [BulkOperationInput!]!, $done: [BulkOperationInput!]!
    ) {
      ready: createBulk(name: $name, target: $target, operations: $ready) { id token }
      other: createBulk(name: $name, target: $target, operations: $other) { id }
      draft: createBulk(name: $name, target: $target, operations: $draft, open: true) { id }
      running: createBulk(name: $name, target: $target, operations: $running) { id token }
      done: createBulk(name: $name, target: $target, operations: $done) { id token }
    }`,
    {
      name: `${mark}-job`,
      target: { ids: [device] },
      ready: setting(`${mark}-ready`),
      other: setting(`${mark}-other-job`),
      draft: setting(`${mark}-draft`),
      running: setting(`${mark}-running`),
      done: setting(`${mark}-value`),
    },
  )
  await user.data(
    `mutation ($running: ID!, $runningToken: String!, $done: ID!, $doneToken: String!) {
      running: startBulk(id: $running, token: $runningToken) { state }
      done: startBulk(id: $done, token: $doneToken) { state }
    }`,
    { running: running.id, runningToken: running.token, done: done.id, doneToken: done.token },
  )
  return {
    bulkJob: ready.id,
    bulkToken: ready.token,
    bulkOther: other.id,
    bulkDraft: draft.id,
    bulkRunning: running.id,
    bulkDone: done.id,
  }
}

/**
 * Returns IDs and names of objects that do not exist, in the usual formats. Keeps the cursors, because they do not name
 * an object.
 */
export function nonexistentObjects({ deviceCursor, eventCursor, deliveryCursor }: Cursors): OwnedObjects {
  const mark = `mark${randomUUID().slice(0, 8)}`
  return {
    mark,
    userId: randomUUID(),
    device: newId(),
    service: newId(),
    accessKey: `MK${Array.from({ length: 18 }, () => 'ABCDEFGH'[randomInt(8)]).join('')}`,
    registrationCode: randomUUID(),
    code: newCode(),
    deviceSecret: newDeviceSecret(),
    view: `vw_${randomBytes(12).toString('hex')}`,
    viewName: `${mark}-view`,
    role: `ro_${randomBytes(12).toString('hex')}`,
    invitation: `in_${randomBytes(12).toString('hex')}`,
    member: randomUUID(),
    serviceView: `vw_${randomBytes(12).toString('hex')}`,
    eventView: `vw_${randomBytes(12).toString('hex')}`,
    bulkJob: `bj_${randomBytes(12).toString('hex')}`,
    bulkToken: randomBytes(12).toString('hex'),
    bulkOther: `bj_${randomBytes(12).toString('hex')}`,
    bulkDraft: `bj_${randomBytes(12).toString('hex')}`,
    bulkRunning: `bj_${randomBytes(12).toString('hex')}`,
    bulkDone: `bj_${randomBytes(12).toString('hex')}`,
    webhook: `wh_${randomBytes(12).toString('hex')}`,
    webhookUrl: `http://127.0.0.1:9/hook?${mark}`,
    webhookSecret: generateWebhookSecret(),
    delivery: newMessageId(),
    event: String(randomInt(1e12, 9e12)),
    hardwareId: `${mark}-hardware`,
    attribute: `${mark}_attribute`,
    context: `${mark}-context`,
    deviceCursor,
    eventCursor,
    deliveryCursor,
  }
}

/** Replaces the IDs and names of these objects in a response. Keeps numbers, such as a status, which are never IDs. */
export const withPlaceholders = (response: unknown, objects: OwnedObjects): unknown =>
  JSON.parse(JSON.stringify(response), (_key, value: unknown) => {
    if (typeof value !== 'string') return value
    return Object.entries(objects).reduce((text, [name, object]) => text.replaceAll(object, `<${name}>`), value)
  })
