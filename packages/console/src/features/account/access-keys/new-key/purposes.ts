import type { Permission } from '../../../../graphql/schema-types.generated.ts'

export interface Purpose {
  id: string
  label: string
  description: string
  /** Undefined if the user or a document determines the permissions. */
  permissions?: readonly Permission[]
}

export const purposes: readonly Purpose[] = [
  {
    id: 'read',
    label: 'Read devices',
    description: 'for example, dashboards and exports',
    permissions: ['DEVICE_READ'],
  },
  {
    id: 'follow',
    label: 'Read devices and follow their events',
    description: 'for example, copies of the inventory that stay up to date',
    permissions: ['DEVICE_READ', 'EVENT_READ'],
  },
  {
    id: 'change',
    label: 'Read devices and change attributes',
    description: 'for example, configuration and check results',
    permissions: ['DEVICE_READ', 'ATTRIBUTE_WRITE'],
  },
  {
    id: 'report',
    label: 'Report device states',
    description: 'for example, a monitoring system',
    permissions: ['DEVICE_READ', 'STATE_REPORT'],
  },
  {
    id: 'register',
    label: 'Register devices',
    description: 'for example, a provisioning system that also sets attributes',
    permissions: ['DEVICE_READ', 'DEVICE_CREATE', 'ATTRIBUTE_WRITE'],
  },
  {
    id: 'document',
    label: 'Run a GraphQL document',
    description: 'with the permissions that the document needs',
  },
  { id: 'choose', label: 'Something else', description: 'with permissions that you choose' },
]
