import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { Provider as GraphqlProvider } from 'urql'
import { ClearCacheContext, useGraphqlClient } from '../graphql/client-cache.ts'
import { colors } from './colors.ts'
import { theme } from './theme.ts'

/** The providers that all pages need. */
export function Providers({ children }: { children: ReactNode }) {
  const { client, clearCache } = useGraphqlClient()
  return (
    <MantineProvider theme={theme} cssVariablesResolver={colors} defaultColorScheme="auto">
      <ModalsProvider>
        <Notifications position="bottom-right" />
        <ClearCacheContext value={clearCache}>
          <GraphqlProvider value={client}>{children}</GraphqlProvider>
        </ClearCacheContext>
      </ModalsProvider>
    </MantineProvider>
  )
}
