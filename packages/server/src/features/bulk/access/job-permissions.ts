import { ApiError } from '../../../errors.ts'
import { isPermitted } from '../../../permissions.ts'
import type { Viewer } from '../../../viewer.ts'
import type { BulkJob, CsvTarget } from '../bulk-job.ts'
import { assertMayRequest } from './job-restrictions.ts'

export function assertMayRun(viewer: Viewer, job: Pick<BulkJob, 'operations' | 'target'>): void {
  const missing = permissionsOfJob(job).filter((name) => !isPermitted(viewer.permissions, name))
  if (missing.length > 0) {
    const needs = missing.map((permission) => ({ field: 'BulkJob.operations', permission }))
    throw new ApiError('FORBIDDEN', `this bulk job needs permissions that you do not have: ${missing.join(', ')}`, {
      reason: 'permission',
      missing: needs,
    })
  }
  assertMayRequest(viewer, job)
}

type Permission = 'ATTRIBUTE_WRITE' | 'DEVICE_CREATE' | 'DEVICE_DELETE' | 'DEVICE_WRITE'

export function permissionsNeeded(operations: readonly object[]): Permission[] {
  const needs = operations.flatMap((operation) => {
    if ('setAttributes' in operation) return ['ATTRIBUTE_WRITE' as const]
    return 'delete' in operation ? ['DEVICE_DELETE' as const] : ['DEVICE_WRITE' as const]
  })
  return [...new Set(needs)]
}

export const permissionsOfJob = ({ operations, target }: Pick<BulkJob, 'operations' | 'target'>): Permission[] => [
  ...new Set([
    ...permissionsNeeded(operations),
    ...('csv' in target && target.csv !== undefined ? permissionsOfCsv(target.csv) : []),
  ]),
]

function permissionsOfCsv({ columns, register, isUndo }: CsvTarget): Permission[] {
  const finding = ['id', 'hardwareId', 'name'].find((name) => columns.includes(name))
  const fields = ['hardwareId', 'name', 'platform', 'services'].filter(
    (name) => name !== finding && columns.includes(name),
  )
  return [
    ...(columns.some((name) => name.startsWith('attributes.')) ? ['ATTRIBUTE_WRITE' as const] : []),
    ...(fields.length > 0 ? ['DEVICE_WRITE' as const] : []),
    ...(register ? [isUndo === true ? ('DEVICE_DELETE' as const) : ('DEVICE_CREATE' as const)] : []),
  ]
}
