import { Anchor, Code, Kbd, Text, Title } from '@mantine/core'
import type { GraphQLObjectType, GraphQLSchema } from 'graphql'
import { api } from '../../src/app/paths.ts'
import classes from './reference.module.css'

const endpoints = [
  { path: api.graphql, what: 'Queries over GET or POST, and mutations over POST' },
  { path: api.stream, what: 'Subscriptions, as server-sent events' },
  { path: '/graphql/v1/schema.graphql', what: 'This schema in SDL' },
  {
    path: '/rest/v1/openapi.json',
    what: 'The OpenAPI description of the REST API, for clients that cannot use GraphQL',
  },
]

export function Overview({ schema }: { schema: GraphQLSchema }) {
  return (
    <>
      <Title order={1}>API reference</Title>
      <Text className={classes.description}>
        Muster has one GraphQL API, which the console also uses. Press <Kbd size="xs">/</Kbd> to search the API, see how
        its types relate in the <Anchor href="#diagram">diagram</Anchor>, or <Anchor href="#try">try</Anchor> requests.
      </Text>
      <Text className={classes.description}>
        Programs sign each request with an access key. You create access keys under{' '}
        <Anchor href="/account/keys">Account</Anchor>. Requests for only the schema or the{' '}
        <Anchor href="#Query.version">version</Anchor> need no access key.
      </Text>
      <Title order={2} className={classes.heading}>
        Endpoints
      </Title>
      <Text>
        These paths are relative to <Code>{window.location.origin}</Code>.
      </Text>
      <dl className={classes.roots}>
        {endpoints.map(({ path, what }) => (
          <div key={path}>
            <dt>
              <Text inherit ff="monospace" size="sm">
                {path}
              </Text>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <RootFields title="Queries" type={schema.getQueryType()} />
      <RootFields title="Mutations" type={schema.getMutationType()} />
      <RootFields title="Subscriptions" type={schema.getSubscriptionType()} />
    </>
  )
}

function RootFields({ title, type }: { title: string; type: GraphQLObjectType | null | undefined }) {
  if (type == null) return null
  return (
    <>
      <Title order={2} className={classes.heading}>
        {title}
      </Title>
      <dl className={classes.roots}>
        {Object.values(type.getFields()).map(({ name, description }) => (
          <div key={name}>
            <dt>
              <Anchor href={`#${type.name}.${name}`}>{name}</Anchor>
            </dt>
            <dd>{firstSentence(description ?? '')}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

const firstSentence = (text: string): string => /^[\s\S]*?[.;](?=\s|$)/.exec(text)?.[0].replace(/;$/, '.') ?? text
