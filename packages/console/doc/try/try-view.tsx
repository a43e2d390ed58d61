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
import { examples } from './examples.ts'
import { createFetcher } from './fetcher.ts'
import classes from './try-view.module.css'
import { type Person, usePerson } from './use-person.ts'

/** GraphiQL, whose requests go with the session of the console. */
export function TryView({ schema }: { schema: GraphQLSchema }) {
  const [fetcher] = useState(createFetcher)
  const scheme = useComputedColorScheme('light')
  const person = usePerson()
  if (person === undefined) return <Loading what="editor" />
  return (
    <div className={classes.layout}>
      <h1 className={classes.title}>Try requests</h1>
      <Sender person={person} />
      <div className={classes.editor}>
        <GraphiQL
          fetcher={fetcher}
          schema={schema}
          forcedTheme={scheme}
          defaultTabs={examples(person.device)}
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

/** As whom requests are sent. */
function Sender({ person: { email } }: { person: Person }) {
  return (
    <Text className={classes.sender} size="sm" role="status">
      {email === null ? (
        <>
          Nobody is signed in: only the schema and the version are answered.{' '}
          <Anchor href="/sign-in" target="_blank" underline="always">
            Sign in
          </Anchor>{' '}
          in another window and come back.
        </>
      ) : (
        <>
          Requests are sent as <strong>{email}</strong>: changes are real.
        </>
      )}
    </Text>
  )
}
