import type { AccessKey } from '@muster/client'
import type { Column } from '../output/column.ts'

export const keyColumns: readonly Column<AccessKey>[] = [
  { name: 'key', value: ({ key }) => key, truncated: 'first' },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'enabled', value: ({ enabled }) => enabled },
  { name: 'readOnly', value: ({ readOnly }) => readOnly },
  { name: 'requireDigest', value: ({ requireDigest }) => requireDigest },
  { name: 'algorithm', value: ({ algorithm }) => algorithm },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'expires', value: ({ expires }) => expires, time: true },
  { name: 'lastUsed', value: ({ lastUsed }) => lastUsed, time: true },
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
} as const
