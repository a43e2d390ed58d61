import { MantineProvider } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import { Provider as GraphqlProvider } from 'urql'
import { ClearCacheContext, useGraphqlClient } from '../graphql/client-cache.ts'
import { colors } from './colors.ts'
import { theme } from './theme.ts'

/**
 * Loads the component separately, so that the first page does not wait for it. Mantine keeps notifications that the
 * console sends before the component is loaded.
 */
const Notifications = lazy(async () => ({ default: (await import('./notifications.tsx')).Notifications }))

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
