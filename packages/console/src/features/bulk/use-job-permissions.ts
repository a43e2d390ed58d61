import type { Permission } from '../../graphql/schema-types.generated.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { type CsvTarget, csvOf, type Job } from './job-labels.ts'

const needs: Readonly<Record<string, Permission>> = {
  setAttributes: 'ATTRIBUTE_WRITE',
  update: 'DEVICE_WRITE',
  addService: 'DEVICE_WRITE',
  removeService: 'DEVICE_WRITE',
  delete: 'DEVICE_DELETE',
}

/**
 * Returns the permissions for the columns of a CSV file, except the column that identifies the devices. Also returns
 * the permission to register devices or to undo registrations, if the job does so.
 */
function csvNeeds({ columns, register, isUndo }: CsvTarget): Permission[] {
  const key = ['id', 'hardwareId', 'name'].find((name) => columns.includes(name))
  const writes = (name: string): boolean => name !== key && columns.includes(name)
  return [
    ...(columns.some((name) => name.startsWith('attributes.')) ? (['ATTRIBUTE_WRITE'] as const) : []),
    ...(['hardwareId', 'name', 'platform', 'services'].some(writes) ? (['DEVICE_WRITE'] as const) : []),
    ...(register ? ([isUndo ? 'DEVICE_DELETE' : 'DEVICE_CREATE'] as const) : []),
  ]
}

/**
 * Returns the permissions that the job needs and that the user does not have. A job that needs none, such as a CSV file
 * without values, is an exception. For such a job, returns `DEVICE_WRITE` if the user has no permission to change
 * devices, because the server then rejects all requests to change bulk jobs.
 */
export function useMissingPermissions(job: Pick<Job, 'operations' | 'target'>): Permission[] {
  const { may } = useViewer()
  const csv = csvOf(job)
  const needed = new Set(
    job.operations.flatMap((operation) => Object.keys(operation).flatMap((kind) => needs[kind] ?? [])),
  )
  for (const permission of csv === undefined ? [] : csvNeeds(csv)) needed.add(permission)
  if (needed.size > 0) return [...needed].filter((permission) => !may(permission))
  const some = ['ATTRIBUTE_WRITE', 'DEVICE_WRITE', 'DEVICE_CREATE', 'DEVICE_DELETE'] as const
  return some.some(may) ? [] : ['DEVICE_WRITE']
}
