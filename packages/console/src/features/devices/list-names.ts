import { useMemo } from 'react'
import { useQuery } from 'urql'
import { useAttributeNames } from '../attributes/use-attribute-names.ts'
import { DeviceListNamesDocument, type DeviceListNamesQuery } from './devices.generated.ts'

export interface ListNames {
  applicationTypes: DeviceListNamesQuery['applicationTypes']
  /** Attribute names in use on devices, without the reserved ones. */
  attributes: string[]
  /** What `from` counts from. */
  firstRecord: number
}

/** What filters and columns can be chosen from; undefined until loaded. */
export function useListNames(): ListNames | undefined {
  const [{ data }] = useQuery({ query: DeviceListNamesDocument, requestPolicy: 'cache-first' })
  const { names: attributeNames } = useAttributeNames()
  return useMemo(() => {
    if (data?.login == null || attributeNames === undefined) return undefined
    const names = attributeNames.filter(({ name, devices }) => devices > 0 && !name.startsWith('$'))
    return {
      applicationTypes: data.applicationTypes,
      attributes: names.map(({ name }) => name),
      firstRecord: data.login.limits.find(({ name }) => name === 'firstRecord')?.value ?? 1,
    }
  }, [data, attributeNames])
}
