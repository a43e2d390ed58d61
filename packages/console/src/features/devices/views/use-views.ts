import { useQuery } from 'urql'
import { useTypes } from '../../../graphql/use-change.ts'
import { type DeviceViewFragment, DeviceViewsDocument } from './views.generated.ts'

export type DeviceView = DeviceViewFragment

/** Returns the account's views of devices, sorted by name. Undefined until loaded. */
export function useViews(): readonly DeviceView[] | undefined {
  const [{ data }] = useQuery({
    query: DeviceViewsDocument,
    requestPolicy: 'cache-and-network',
    context: useTypes('View'),
  })
  return data?.login?.views
}
