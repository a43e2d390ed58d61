import { useMemo } from 'react'
import { useQuery } from 'urql'
import { DeviceListNamesDocument, type DeviceListNamesQuery } from './devices.generated.ts'

export interface ListNames {
  applicationTypes: DeviceListNamesQuery['applicationTypes']
  /** Attribute names in use on devices, the reserved ones apart. */
  attributes: string[]
  /** What `from` counts from. */
  firstRecord: number
}

/** What filters and columns can be chosen from; undefined until it is there. */
export function useListNames(): ListNames | undefined {
  const [{ data }] = useQuery({ query: DeviceListNamesDocument })
  return useMemo(() => {
    if (data?.login == null) return undefined
    const names = data.login.attributeNames.filter(({ name, devices }) => devices > 0 && !name.startsWith('$'))
    return {
      applicationTypes: data.applicationTypes,
      attributes: names.map(({ name }) => name),
      firstRecord: data.login.limits.find(({ name }) => name === 'firstRecord')?.value ?? 1,
    }
  }, [data])
}
