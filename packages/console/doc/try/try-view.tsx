import 'graphiql/setup-workers/vite'
import '@graphiql/react/style.css'
import '@graphiql/plugin-doc-explorer/style.css'
import '@graphiql/plugin-history/style.css'
import 'graphiql/graphiql.css'
import { Anchor, Text, useComputedColorScheme } from '@mantine/core'
import { GraphiQL } from 'graphiql'
import type { GraphQLSchema } from 'graphql'
import { useState } from 'react'
import { Loading } from '../../src/components/loading.tsx'
import page from '../doc-page.module.css'
import { examples } from './examples.ts'
import { createFetcher } from './fetcher.ts'
import classes from './try-view.module.css'
import { type CurrentUser, useCurrentUser } from './use-current-user.ts'

export function TryView({ schema }: { schema: GraphQLSchema }) {
  const [fetcher] = useState(createFetcher)
  const scheme = useComputedColorScheme('light')
  const user = useCurrentUser()
  if (user === undefined) return <Loading what="editor" />
  return (
    <div className={classes.layout}>
      <h1 className={page.hiddenTitle}>Try requests</h1>
      <SignedInUser user={user} />
      <div className={classes.editor}>
        <GraphiQL
          fetcher={fetcher}
          schema={schema}
          forcedTheme={scheme}
          defaultTabs={examples(user.device)}
          defaultEditorToolsVisibility="variables"
          isHeadersEditorEnabled={false}
          showPersistHeadersSettings={false}
        >
          <GraphiQL.Logo> </GraphiQL.Logo>
        </GraphiQL>
      </div>
    </div>
  )
}

function SignedInUser({ user: { email } }: { user: CurrentUser }) {
  return (
    <Text className={classes.sender} size="sm" role="status">
      {email === undefined ? (
        'The server did not report whether you are signed in. To check again, reload the page.'
      ) : email === null ? (
        <>
          You are not signed in. Only requests for the schema and the version work.{' '}
          <Anchor href="/sign-in" target="_blank" underline="always">
            Sign in
          </Anchor>{' '}
          in another window, then come back.
        </>
      ) : (
        <>
          The editor sends requests as <strong>{email}</strong>. They affect real data.
        </>
      )}
    </Text>
  )
}
