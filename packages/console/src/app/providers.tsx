import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { Provider as GraphqlProvider } from 'urql'
import { GraphqlClientContext, useNewGraphqlClient } from '../graphql/use-client.ts'
import { colours } from './colours.ts'
import { theme } from './theme.ts'

/** What every page stands on. */
export function Providers({ children }: { children: ReactNode }) {
  const { client, renew } = useNewGraphqlClient()
  return (
    <MantineProvider theme={theme} cssVariablesResolver={colours} defaultColorScheme="auto">
      <ModalsProvider>
        <Notifications position="bottom-right" />
        <GraphqlClientContext value={renew}>
          <GraphqlProvider value={client}>{children}</GraphqlProvider>
        </GraphqlClientContext>
      </ModalsProvider>
    </MantineProvider>
  )
}
