import { graphql } from '../run/operation.ts'
import type { Contender } from '../run/rounds.ts'
import { loadScenario } from './load-scenario.ts'

const document = '{ login { id } }'

const contenders: readonly Contender[] = [
  {
    name: 'Muster',
    contestant: 'server',
    operations: () => [graphql('server', document)],
    read: ({ data }) => data.login.id,
  },
  {
    name: 'bare Fastify',
    contestant: 'fastify',
    operations: () => [{ path: '/login', body: { query: document } }],
    read: ({ data }) => data.login.id,
  },
  {
    name: 'PostGraphile',
    contestant: 'postgraphile',
    operations: ({ accountId }) => [
      graphql('postgraphile', 'query ($id: String!) { accountByRowId(rowId: $id) { rowId } }', { id: accountId }),
    ],
    read: ({ data }) => data.accountByRowId.rowId,
  },
  {
    name: 'Apollo',
    contestant: 'apollo',
    operations: () => [graphql('apollo', document)],
    read: ({ data }) => data.login.id,
  },
]

export const login = loadScenario({
  name: 'login',
  title: '`login { id }`',
  connections: 32,
  contenders,
  comparisons: [
    { name: 'against a bare Fastify route', of: 'Muster', with: 'bare Fastify', least: 0.3 },
    { name: "against PostGraphile's query by id", of: 'Muster', with: 'PostGraphile', least: 2 },
    { name: 'against Apollo', of: 'Muster', with: 'Apollo' },
  ],
})
