import { defineRoutes } from '../route.ts'

export const serviceRoutes = defineRoutes({
  'GET /devices/{id}/services': {
    summary: "Lists a device's services, except its bulk service.",
    document: `query listServices(
      $id: String!, $name: String, $state: String, $application: [Int!], $sort: String = "name asc", $context: String
    ) {
      login {
        device(id: [$id]) {
          items: services(name: $name, state: $state, application: $application, sort: $sort) { ...ServiceInContext }
        }
      }
    }`,
    at: 'login.device[0]',
  },
  'POST /devices/{id}/services': {
    summary: 'Adds a service to a device.',
    document: `mutation addService(
      $id: String!, $name: String!, $application: Int, $host: String, $port: Int, $enabled: Boolean = true
    ) {
      addService(deviceId: $id, name: $name, application: $application, host: $host, port: $port, enabled: $enabled) {
        ...Service
      }
    }`,
    at: 'addService',
    location: '/services/{id}',
  },
  'GET /services/list': {
    summary: 'Lists the services of all devices, except bulk services, one page at a time.',
    document: `query listAllServices(
      $size: Int = 100, $from: Int, $after: ID, $last: String, $sortBy: [String!]
      $where: String, $view: ID, $now: DateTime, $context: String, $total: Boolean! = true
    ) {
      login {
        services(
          size: $size, from: $from, after: $after, last: $last, sortBy: $sortBy, where: $where
          view: $view, now: $now, context: $context
        ) { items { ...ServiceOfDevice } total @include(if: $total) hasMore last cursor }
      }
    }`,
    at: 'login.services',
  },
  'GET /services': {
    summary: "Returns up to 1,000 services by ID. A device's ID identifies its bulk service. Unknown IDs are ignored.",
    document:
      'query getServices($id: [String!]!, $context: String) { login { items: service(id: $id) { ...ServiceOfDevice } } }',
    at: 'login',
  },
  'GET /services/{id}': {
    summary: "Returns a service. A device's ID identifies its bulk service.",
    document:
      'query getService($id: String!, $context: String) { login { service(id: [$id]) { ...ServiceOfDevice } } }',
    at: 'login.service[0]',
  },
  'PATCH /services/{id}': {
    summary:
      'Changes a service. Omitted fields stay unchanged. null clears host or port. A bulk service accepts only a new name.',
    document: `mutation updateService(
      $id: ID!, $name: String, $application: Int, $host: String, $port: Int, $enabled: Boolean
    ) {
      updateService(id: $id, name: $name, application: $application, host: $host, port: $port, enabled: $enabled) {
        ...Service
      }
    }`,
    at: 'updateService',
  },
  'DELETE /services/{id}': {
    summary: 'Removes a service and its attributes.',
    document: 'mutation removeService($id: ID!) { removeService(id: $id) }',
    status: 204,
  },
  'PUT /services/{id}/name': {
    summary: 'Renames a service. Renaming a bulk service renames its device.',
    document: 'mutation renameService($id: String!, $name: String!) { renameService(serviceId: $id, name: $name) }',
    status: 204,
  },
  'PUT /services/{id}/state': {
    summary:
      "Reports that a service is inactive, or that it is active for ttl seconds. With a device's ID, reports the device's state.",
    document: `mutation reportState($id: String!, $state: String!, $ttl: Int = 300) {
      reportState(serviceId: $id, state: $state, ttl: $ttl)
    }`,
    status: 204,
  },
})
