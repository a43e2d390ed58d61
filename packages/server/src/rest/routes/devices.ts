import { optionalDeviceFields } from '../fragments.ts'
import { defineRoutes } from '../route.ts'

const declared = optionalDeviceFields.map((name) => `$${name}: String`).join(', ')
const passed = optionalDeviceFields.map((name) => `${name}: $${name}`).join(', ')

export const deviceRoutes = defineRoutes({
  'GET /devices': {
    summary: 'Lists devices, one page at a time.',
    document: `query listDevices(
      $size: Int = 100, $from: Int, $after: ID, $last: String, $sort: String, $name: String, $state: String
      $id: [String!], $hardwareId: String, $platform: [String!], $application: [Int!], $attributes: Object
      $where: String, $view: ID, $now: DateTime, $sortBy: [String!], $context: String, $total: Boolean! = true
    ) {
      login {
        devices(
          size: $size, from: $from, after: $after, last: $last, sort: $sort, name: $name, state: $state, id: $id
          hardwareId: $hardwareId, platform: $platform, application: $application, attributes: $attributes, context: $context
          where: $where, view: $view, now: $now, sortBy: $sortBy
        ) { items { ...DeviceInContext } total @include(if: $total) hasMore last cursor }
      }
    }`,
    at: 'login.devices',
  },
  'GET /devices/download': {
    summary:
      'Returns a link for downloading the matching devices as CSV. The link is valid for one hour, but only while the access key that signed the request is valid.',
    document: `query getDevicesUrl(
      $where: String, $view: ID, $context: String, $sortBy: [String!], $columns: [String!], $now: DateTime
    ) {
      login {
        url: devicesUrl(where: $where, view: $view, context: $context, sortBy: $sortBy, columns: $columns, now: $now)
      }
    }`,
    at: 'login',
  },
  'GET /devices/facets': {
    summary: 'Counts the matching devices per value of each given field or attribute (at most 8).',
    document: `query countByValue(
      $by: [String!]!, $where: String, $view: ID, $context: String, $size: Int = 20, $interval: FacetInterval = DAY
    ) {
      login {
        items: facets(by: $by, where: $where, view: $view, context: $context, size: $size, interval: $interval) { ...Facet }
      }
    }`,
    at: 'login',
  },
  'GET /devices/totals': {
    summary:
      'Counts the matching devices: all, those in each state, those that have never reported, and those with a stale value.',
    document: `query countDevices($where: String, $view: ID, $context: String) {
      login { deviceTotals(where: $where, view: $view, context: $context) { ...DeviceTotals } }
    }`,
    at: 'login.deviceTotals',
  },
  'GET /devices/presence': {
    summary: 'Returns the number of online devices over time.',
    document: `query listPresence($from: DateTime!, $until: DateTime) {
      login { items: presence(from: $from, until: $until) { ...PresencePoint } }
    }`,
    at: 'login',
  },
  'GET /filters/check': {
    summary:
      'Checks a filter without running it. If cursor is set, also returns the possible completions at that position in the filter.',
    document: `query checkFilter(
      $where: String!, $kind: FilterKind! = DEVICES, $context: String, $cursor: Int, $usage: FilterUsage! = LIST
    ) {
      login {
        checkFilter(where: $where, kind: $kind, context: $context, cursor: $cursor, usage: $usage) { ...FilterCheck }
      }
    }`,
    at: 'login.checkFilter',
  },
  'POST /devices': {
    summary:
      "Adds a device with its services and attributes. Only this response contains the device's secret. If another device uses the hardware ID, the response is CONFLICT.",
    document: `mutation registerDevice(
      $name: String!, ${declared}, $services: [ServiceInput!], $attributes: Object
    ) {
      registerDevice(name: $name, ${passed}, services: $services, attributes: $attributes) { ...DeviceRegistration }
    }`,
    at: 'registerDevice',
    location: '/devices/{device.id}',
  },
  'POST /devices/delete': {
    summary:
      'Deletes up to 1,000 devices, either all or none. If any of them is active, the response is CONFLICT, unless force is true.',
    document: `mutation deleteDevices($deviceId: [String!]!, $force: Boolean! = false) {
      deleteDevices(deviceId: $deviceId, force: $force)
    }`,
    status: 204,
  },
  'POST /devices/transfer': {
    summary:
      'Moves the given devices to another account, either all or none. This requires a session, which the REST API does not accept, so even a valid request receives FORBIDDEN.',
    document: `mutation transferDevices($accountId: ID!, $deviceId: [String!]!) {
      moved: transferDevices(accountId: $accountId, deviceId: $deviceId)
    }`,
  },
  'GET /devices/{id}': {
    summary: 'Returns a device.',
    document: 'query getDevice($id: String!, $context: String) { login { device(id: [$id]) { ...DeviceInContext } } }',
    at: 'login.device[0]',
  },
  'PATCH /devices/{id}': {
    summary: 'Changes a device. Omitted fields stay unchanged. null clears hardwareId or platform.',
    document: `mutation updateDevice($id: String!, $name: String, ${declared}) {
      updateDevice(deviceId: $id, name: $name, ${passed}) { ...Device }
    }`,
    at: 'updateDevice',
  },
  'DELETE /devices/{id}': {
    summary: 'Deletes a device. To delete an active device, set force to true.',
    document: `mutation deleteDevice($id: String!, $force: Boolean! = false) {
      deleteDevice(deviceId: $id, force: $force)
    }`,
    status: 204,
  },
  'GET /devices/{id}/freshness': {
    summary:
      'Returns whether a device has a stale base value. A value is stale if its last recorded write was more than 1.25 expected intervals ago.',
    document: 'query getDeviceFreshness($id: String!) { login { device(id: [$id]) { id isStale } } }',
    at: 'login.device[0]',
  },
  'GET /devices/{id}/availability': {
    summary: 'Returns when a device was online.',
    document: `query getAvailability($id: String!, $from: DateTime!, $until: DateTime) {
      login { device(id: [$id]) { availability(from: $from, until: $until) { ...Availability } } }
    }`,
    at: 'login.device[0].availability',
  },
  'POST /devices/{id}/secret': {
    summary:
      "Replaces a device's secret, and returns the new secret. The old secret becomes invalid immediately, and the server closes the device's connections. If allow is true, the server creates no new secret. Instead, the device can register itself again once with its hardware ID and a registration code, within one hour.",
    document: `mutation rotateDeviceSecret($id: String!, $allow: Boolean! = false) {
      rotateDeviceSecret(deviceId: $id, allow: $allow) { ...DeviceRegistration }
    }`,
    at: 'rotateDeviceSecret',
  },
})
