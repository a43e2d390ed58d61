import { useMemo } from 'react'
import { useQuery } from 'urql'
import { useAttributeNames } from '../attributes/use-attribute-names.ts'
import { DeviceListNamesDocument, type DeviceListNamesQuery } from './devices.generated.ts'

export interface ListOptions {
  applicationTypes: DeviceListNamesQuery['applicationTypes']
  /** Attribute names in use on devices, without the reserved ones. */
  attributes: string[]
  /** The number of the first record in `from`. */
  firstRecord: number
}

/** The options of filters and columns. Undefined until loaded. */
export function useListOptions(): ListOptions | undefined {
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
