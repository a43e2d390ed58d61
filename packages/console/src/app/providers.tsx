import { MantineProvider } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import { Provider as GraphqlProvider } from 'urql'
import { ClearCacheContext, useGraphqlClient } from '../graphql/client-cache.ts'
import { colors } from './colors.ts'
import { theme } from './theme.ts'

/** Not in the first load. Notifications that are sent earlier are kept until it is loaded. */
const Notifications = lazy(async () => ({ default: (await import('./notifications.tsx')).Notifications }))

/** The providers that all pages need. */
export function Providers({ children }: { children: ReactNode }) {
  const { client, clearCache } = useGraphqlClient()
  return (
    <MantineProvider theme={theme} cssVariablesResolver={colors} defaultColorScheme="auto">
      <ClearCacheContext value={clearCache}>
        <GraphqlProvider value={client}>{children}</GraphqlProvider>
      </ClearCacheContext>
      <Suspense>
        <Notifications position="bottom-right" />
      </Suspense>
    </MantineProvider>
  )
}
