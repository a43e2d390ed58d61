import type { Selected } from '@muster/client'
import type { Column } from '../output/column.ts'

export type KeyRow = Selected<'AccessKey', typeof keyFields>

export const keyColumns: readonly Column<KeyRow>[] = [
  { name: 'key', value: ({ key }) => key, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'enabled', value: ({ enabled }) => enabled },
  { name: 'readOnly', value: ({ readOnly }) => readOnly },
  { name: 'requireDigest', value: ({ requireDigest }) => requireDigest },
  { name: 'algorithm', value: ({ algorithm }) => algorithm },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'expires', value: ({ expires }) => expires, time: true },
  { name: 'lastUsed', value: ({ lastUsed }) => lastUsed, time: true },
  { name: 'kind', value: ({ kind }) => kind },
  { name: 'permissions', value: ({ permissions }) => permissions.join(' '), truncated: 'last' },
  { name: 'read', value: ({ attributes }) => attributes?.read.join(' ') ?? null },
  { name: 'write', value: ({ attributes }) => attributes?.write.join(' ') ?? null },
  { name: 'where', value: ({ where }) => where, truncated: 'last' },
  { name: 'view', value: ({ view }) => view?.name },
  { name: 'context', value: ({ context }) => context },
  { name: 'networks', value: ({ networks }) => networks.join(' ') },
  { name: 'rateShare', value: ({ rateShare }) => rateShare },
  { name: 'unused', value: ({ unused }) => unused?.join(' '), truncated: 'last' },
  { name: 'suspended', value: ({ suspended }) => suspended },
  { name: 'replacedBy', value: ({ replacedBy }) => replacedBy, truncated: 'first' },
]

export const keyFields = {
  key: true,
  name: true,
  enabled: true,
  readOnly: true,
  requireDigest: true,
  algorithm: true,
  created: true,
  expires: true,
  lastUsed: true,
  kind: true,
  permissions: true,
  attributes: { read: true, write: true },
  where: true,
  view: { id: true, name: true },
  context: true,
  networks: true,
  rateShare: true,
  unused: true,
  suspended: true,
  replacedBy: true,
} as const
