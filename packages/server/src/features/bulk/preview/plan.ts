import type { ApiError } from '../../../errors.ts'
import type { BulkItem, DeviceChanges } from '../bulk-job.ts'

export type Plan = Omit<BulkItem, 'eventIds'>

export const emptyPlan = (id: string): Plan => ({
  id,
  name: '',
  outcome: 'UNCHANGED',
  status: 'UNCHANGED',
  reason: null,
  changes: {},
  code: null,
  message: null,
})

export const planOf = (id: string, changes: DeviceChanges): Plan =>
  Object.keys(changes).length === 0
    ? emptyPlan(id)
    : { ...emptyPlan(id), outcome: 'CHANGE', status: 'PENDING', changes }

export const rejected = (id: string, { code, message }: ApiError): Plan => ({
  ...emptyPlan(id),
  outcome: 'REJECTED',
  status: 'FAILED',
  code,
  message,
})
