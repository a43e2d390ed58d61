import type { RegistrationCode } from '@muster/client'
import type { Column } from '../output/column.ts'

export const codeColumns: readonly Column<RegistrationCode>[] = [
  { name: 'id', value: ({ id }) => id, truncated: 'first' },
  { name: 'prefix', value: ({ prefix }) => prefix },
  { name: 'name', value: ({ name }) => name, truncated: 'last' },
  { name: 'platform', value: ({ platform }) => platform },
  { name: 'used', value: ({ used }) => used },
  { name: 'uses', value: ({ uses }) => uses },
  { name: 'created', value: ({ created }) => created, time: true },
  { name: 'expires', value: ({ expires }) => expires, time: true },
]

export const codeFields = {
  id: true,
  prefix: true,
  name: true,
  platform: true,
  used: true,
  uses: true,
  created: true,
  expires: true,
} as const
