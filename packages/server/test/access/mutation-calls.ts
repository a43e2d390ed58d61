import { randomUUID } from 'node:crypto'
import { bulkCalls } from './bulk-calls.ts'
import { attempt, type Call, literal, notFound, ofWrongKind } from './call.ts'
import { keyMutationCalls } from './key-calls.ts'
import { memberMutationCalls } from './member-calls.ts'
import { webhookMutationCalls } from './webhook-calls.ts'

const addService = (deviceId: string): string =>
  `mutation { addService(deviceId: ${literal(deviceId)}, name: "x", port: 22) { id } }`
const remove = (deviceId: string, force = true): string =>
  `mutation { deleteDevice(deviceId: ${literal(deviceId)}, force: ${force}) }`
const removeAll = (deviceIds: string[]): string =>
  `mutation { deleteDevices(deviceId: [${deviceIds.map(literal)}], force: true) }`
const rename = (serviceId: string): string => `mutation { renameService(serviceId: ${literal(serviceId)}, name: "x") }`
const set = (serviceId: string): string =>
  `mutation { setAttribute(name: "x", value: "y", serviceId: ${literal(serviceId)}) }`
const unset = (serviceId: string, name: string): string =>
  `mutation { setAttribute(name: ${literal(name)}, value: null, serviceId: ${literal(serviceId)}) }`
const setAll = (serviceId: string): string =>
  `mutation { setAttributes(attributes: { x: "y" }, serviceId: ${literal(serviceId)}, context: "c") }`
const setMany = (serviceIds: string[]): string => {
  const items = serviceIds.map((id) => `{ serviceId: ${literal(id)}, attributes: { x: "y" } }`)
  return `mutation { setAttributesMany(items: [${items}]) { serviceId attributes code message } }`
}
const updateDevice = (deviceId: string): string =>
  `mutation { updateDevice(deviceId: ${literal(deviceId)}, name: "x", hardwareId: null) { id } }`
const updateService = (id: string): string =>
  `mutation { updateService(id: ${literal(id)}, name: "x", port: 1) { id } }`

const deleteCode = (id: string): string => `mutation { deleteRegistrationCode(id: ${literal(id)}) }`
const reportState = (serviceId: string, state = 'active'): string =>
  `mutation { reportState(serviceId: ${literal(serviceId)}, state: ${literal(state)}) }`
const rotate = (deviceId: string, allow = false): string =>
  `mutation { rotateDeviceSecret(deviceId: ${literal(deviceId)}, allow: ${allow}) { secret } }`

const missed = { code: 'NOT_FOUND', attributes: null }

const createView = (name: string, where: string): string =>
  `mutation { createView(name: ${literal(name)}, where: ${literal(where)}) { id name where } }`
const updateView = (id: string): string =>
  `mutation { updateView(id: ${literal(id)}, labels: ["x"]) { id name where } }`
const deleteView = (id: string): string => `mutation { deleteView(id: ${literal(id)}) }`
const replaceView = (id: string, replaceBy: string): string =>
  `mutation { deleteView(id: ${literal(id)}, replaceBy: ${literal(replaceBy)}) }`

export const mutationCalls: Record<string, Call> = {
  ...webhookMutationCalls,
  ...memberMutationCalls,
  ...bulkCalls.mutations,
  ...keyMutationCalls,
  'Mutation.createView': {
    // Create a new name for each call, because each name can be used only once.
    plain: () => createView(randomUUID(), 'name:a'),
    naming: {
      // A view can have the same name as another user's view, and the response must not show that such a view exists.
      name: attempt('own', ({ viewName }) => createView(viewName, 'name:a')),
    },
    others: [
      ...['kind', 'where', 'context', 'sortBy', 'description', 'labels', 'isShared'],
      ...['name', 'label', 'width'].map((field) => `columns.${field}`),
    ],
  },
  'Mutation.updateView': {
    plain: ({ view }) => updateView(view),
    naming: {
      id: [
        notFound(({ view }) => updateView(view)),
        ofWrongKind(({ webhook }) => updateView(webhook)),
        ofWrongKind(({ userId }) => updateView(userId)),
      ],
    },
    others: [
      ...['version', 'name', 'where', 'context', 'sortBy', 'description', 'labels', 'isShared'],
      ...['name', 'label', 'width'].map((field) => `columns.${field}`),
    ],
  },
  'Mutation.deleteView': {
    plain: ({ view }) => deleteView(view),
    naming: {
      id: [
        notFound(({ view }) => deleteView(view)),
        ofWrongKind(({ webhook }) => deleteView(webhook)),
        ofWrongKind(({ userId }) => deleteView(userId)),
      ],
      replaceBy: [
        notFound(({ view }, own) => replaceView(own.view, view)),
        ofWrongKind(({ webhook }, own) => replaceView(own.view, webhook)),
      ],
    },
  },
  'Mutation.addService': {
    plain: ({ device }) => addService(device),
    naming: {
      deviceId: [
        notFound(({ device }) => addService(device)),
        ofWrongKind(({ service }) => addService(service)),
        ofWrongKind(({ userId }) => addService(userId)),
      ],
    },
    others: ['name', 'application', 'host', 'port', 'enabled'],
  },
  'Mutation.createRegistrationCode': {
    plain: () => 'mutation { createRegistrationCode(name: "x") { code } }',
    others: [
      ...['name', 'platform', 'attributes', 'uses', 'expires'],
      ...['name', 'application', 'host', 'port', 'enabled'].map((field) => `services.${field}`),
    ],
  },
  'Mutation.deleteRegistrationCode': {
    plain: ({ registrationCode }) => deleteCode(registrationCode),
    naming: {
      id: [
        notFound(({ registrationCode }) => deleteCode(registrationCode)),
        ofWrongKind(({ device }) => deleteCode(device)),
      ],
    },
  },
  'Mutation.reportState': {
    plain: ({ device }) => reportState(device),
    naming: {
      serviceId: [
        notFound(({ device }) => reportState(device)),
        notFound(({ service }) => reportState(service)),
        notFound(({ device }) => reportState(device, 'inactive')),
        ofWrongKind(({ userId }) => reportState(userId)),
      ],
    },
    others: ['state', 'ttl'],
  },
  'Mutation.rotateDeviceSecret': {
    plain: ({ device }) => rotate(device),
    naming: {
      deviceId: [
        notFound(({ device }) => rotate(device)),
        notFound(({ device }) => rotate(device, true)),
        ofWrongKind(({ service }) => rotate(service)),
        ofWrongKind(({ userId }) => rotate(userId)),
      ],
    },
    others: ['allow'],
  },
  'Mutation.deleteDevice': {
    plain: ({ device }) => remove(device),
    naming: {
      deviceId: [
        notFound(({ device }) => remove(device)),
        notFound(({ device }) => remove(device, false)),
        ofWrongKind(({ service }) => remove(service)),
        ofWrongKind(({ userId }) => remove(userId)),
      ],
    },
    others: ['force'],
  },
  'Mutation.deleteDevices': {
    plain: ({ device }) => removeAll([device]),
    naming: {
      deviceId: [
        notFound(({ device }) => removeAll([device])),
        notFound(({ device }, own) => removeAll([own.device, device])),
        ofWrongKind(({ service, userId }) => removeAll([service, userId])),
      ],
    },
    others: ['force'],
  },
  'Mutation.transferDevices': {
    plain: ({ device }) => `mutation { transferDevices(accountId: "x", deviceId: [${literal(device)}]) }`,
    needsSession: true,
    // transfer-devices.test.ts tests these arguments with accounts and devices of other users.
    others: ['accountId', 'deviceId'],
  },
  'Mutation.registerDevice': {
    plain: () => 'mutation { registerDevice(name: "x") { device { id } } }',
    naming: {
      // Hardware IDs are unique within an account. The response must not show that another account uses the same ID.
      hardwareId: attempt('own', ({ hardwareId }) => {
        return `mutation { registerDevice(name: "x", hardwareId: ${literal(hardwareId)}) { device { id hardwareId } } }`
      }),
    },
    others: [
      'name',
      'platform',
      'attributes',
      ...['name', 'application', 'host', 'port', 'enabled'].map((field) => `services.${field}`),
    ],
  },
  'Mutation.removeService': {
    plain: ({ service }) => `mutation { removeService(id: ${literal(service)}) }`,
    naming: {
      id: [
        notFound(({ service }) => `mutation { removeService(id: ${literal(service)}) }`),
        notFound(({ device }) => `mutation { removeService(id: ${literal(device)}) }`),
      ],
    },
  },
  'Mutation.renameService': {
    plain: ({ service }) => rename(service),
    naming: {
      serviceId: [
        notFound(({ service }) => rename(service)),
        notFound(({ device }) => rename(device)),
        ofWrongKind(({ userId }) => rename(userId)),
      ],
    },
    others: ['name'],
  },
  'Mutation.setAttribute': {
    plain: ({ userId }) => set(userId),
    naming: {
      serviceId: [
        notFound(({ service }) => set(service)),
        notFound(({ device }) => set(device)),
        notFound(({ userId }) => set(userId)),
        notFound(({ device, attribute }) => unset(device, attribute)),
      ],
    },
    others: ['name', 'value', 'context'],
  },
  'Mutation.setAttributes': {
    plain: ({ userId }) => setAll(userId),
    naming: {
      serviceId: [
        notFound(({ service }) => setAll(service)),
        notFound(({ device }) => setAll(device)),
        notFound(({ userId }) => setAll(userId)),
      ],
    },
    others: ['attributes', 'context'],
  },
  'Mutation.setExpectedInterval': {
    plain: () => 'mutation { setExpectedInterval(name: "load", seconds: 60) { name seconds } }',
    others: ['name', 'seconds'],
  },
  'Mutation.setAttributesMany': {
    plain: ({ device }) => setMany([device]),
    naming: {
      'items.serviceId': attempt(
        { finds: { setAttributesMany: [missed, missed, missed, { code: null, attributes: { x: 'y' } }] } },
        ({ device, service, userId }, own) => setMany([device, service, userId, own.service]),
      ),
    },
    others: ['items.attributes', 'items.context'],
  },
  'Mutation.updateDevice': {
    plain: ({ device }) => updateDevice(device),
    naming: {
      deviceId: [
        notFound(({ device }) => updateDevice(device)),
        ofWrongKind(({ service }) => updateDevice(service)),
        ofWrongKind(({ userId }) => updateDevice(userId)),
      ],
      hardwareId: attempt('own', ({ hardwareId }, own) => {
        const [device, taken] = [own.device, hardwareId].map(literal)
        return `mutation { updateDevice(deviceId: ${device}, hardwareId: ${taken}) { id hardwareId } }`
      }),
    },
    others: ['name', 'platform'],
  },
  'Mutation.updateService': {
    plain: ({ service }) => updateService(service),
    naming: {
      id: [
        notFound(({ service }) => updateService(service)),
        notFound(({ device }) => updateService(device)),
        ofWrongKind(({ userId }) => updateService(userId)),
      ],
    },
    others: ['name', 'application', 'host', 'port', 'enabled'],
  },
}
