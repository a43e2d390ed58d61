import { useMemo } from 'react'
import { type CombinedError, useQuery } from 'urql'
import { useAttributeNames } from '../attributes/use-attribute-names.ts'
import { DeviceListNamesDocument, type DeviceListNamesQuery } from './devices.generated.ts'

export interface ListOptions {
  applicationTypes: DeviceListNamesQuery['applicationTypes']
  /** Attribute names in use on devices, without names that begin with `$`. */
  attributes: string[]
  /** Attribute names in use on devices, starting with the most frequent name. */
  mostUsed: string[]
  /** The position of a list's first record: 1, unless the server is configured to use 0. */
  firstRecord: number
}

interface LoadedOptions {
  /** Undefined until loaded. */
  options: ListOptions | undefined
  error: CombinedError | undefined
  retry(): void
}

export function useListOptions(): LoadedOptions {
  const [{ data, error }, refetch] = useQuery({ query: DeviceListNamesDocument, requestPolicy: 'cache-first' })
  const { names: attributeNames, ...names } = useAttributeNames()
  const options = useMemo(() => {
    if (data?.login == null || attributeNames === undefined) return undefined
    const names = attributeNames.filter(({ devices }) => devices > 0)
    return {
      applicationTypes: data.applicationTypes,
      attributes: names.map(({ name }) => name).filter((name) => !name.startsWith('$')),
      mostUsed: names.toSorted((a, b) => b.devices - a.devices).map(({ name }) => name),
      firstRecord: data.login.limits.find(({ name }) => name === 'firstRecord')?.value ?? 1,
    }
  }, [data, attributeNames])
  const retry = (): void => {
    for (const load of [refetch, names.refetch]) load({ requestPolicy: 'network-only' })
  }
  return { options, error: error ?? names.error, retry }
}
