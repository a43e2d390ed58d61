import type { Route } from '../route.ts'

export const serviceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/devices/{id}/services',
    summary: "A device's services, except its bulk service.",
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
    status: 200,
  },
  {
    method: 'POST',
    path: '/devices/{id}/services',
    summary: 'Adds a service to a device.',
    document: `mutation addService(
      $id: String!, $name: String!, $application: Int, $host: String, $port: Int, $enabled: Boolean = true
    ) {
      addService(deviceId: $id, name: $name, application: $application, host: $host, port: $port, enabled: $enabled) {
        ...Service
      }
    }`,
    at: 'addService',
    status: 201,
    location: '/services/{id}',
  },
  {
    method: 'GET',
    path: '/services',
    summary: "Services by id. A device's id identifies its bulk service; unknown ids are omitted.",
    document:
      'query getServices($id: [String!]!, $context: String) { login { items: service(id: $id) { ...ServiceOfDevice } } }',
    at: 'login',
    status: 200,
  },
  {
    method: 'GET',
    path: '/services/{id}',
    summary: "A service. A device's id identifies its bulk service.",
    document:
      'query getService($id: String!, $context: String) { login { service(id: [$id]) { ...ServiceOfDevice } } }',
    at: 'login.service[0]',
    status: 200,
  },
  {
    method: 'PATCH',
    path: '/services/{id}',
    summary: 'Changes a service. Omitted members stay unchanged; null clears host or port.',
    document: `mutation updateService(
      $id: ID!, $name: String, $application: Int, $host: String, $port: Int, $enabled: Boolean
    ) {
      updateService(id: $id, name: $name, application: $application, host: $host, port: $port, enabled: $enabled) {
        ...Service
      }
    }`,
    at: 'updateService',
    status: 200,
  },
  {
    method: 'DELETE',
    path: '/services/{id}',
    summary: 'Removes a service.',
    document: 'mutation removeService($id: ID!) { removeService(id: $id) }',
    status: 204,
  },
  {
    method: 'PUT',
    path: '/services/{id}/name',
    summary: 'Renames a service, or the device whose bulk service it is.',
    document: 'mutation renameService($id: String!, $name: String!) { renameService(serviceId: $id, name: $name) }',
    status: 204,
  },
  {
    method: 'PUT',
    path: '/services/{id}/state',
    summary: "Reports a state: active for ttl seconds, or inactive at once. A device's id is for the device.",
    document: `mutation reportState($id: String!, $state: String!, $ttl: Int = 300) {
      reportState(serviceId: $id, state: $state, ttl: $ttl)
    }`,
    status: 204,
  },
]
