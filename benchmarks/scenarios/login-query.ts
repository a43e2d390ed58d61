import { graphql } from '../run/operation.ts'
import type { Workload } from '../run/rounds.ts'
import { loadScenario } from './throughput-scenario.ts'

const document = '{ login { id } }'

const workloads: readonly Workload[] = [
  {
    name: 'Muster',
    system: 'server',
    operations: () => [graphql('server', document)],
    read: ({ data }) => data.login.id,
  },
  {
    name: 'bare Fastify',
    system: 'fastify',
    operations: () => [{ path: '/login', body: { query: document } }],
    read: ({ data }) => data.login.id,
  },
  {
    name: 'PostGraphile',
    system: 'postgraphile',
    operations: ({ accountId }) => [
      graphql('postgraphile', 'query ($id: String!) { accountByRowId(rowId: $id) { rowId } }', { id: accountId }),
    ],
    read: ({ data }) => data.accountByRowId.rowId,
  },
  {
    name: 'Apollo',
    system: 'apollo',
    operations: () => [graphql('apollo', document)],
    read: ({ data }) => data.login.id,
  },
]

export const login = loadScenario({
  name: 'login',
  title: '`login { id }`',
  connections: 32,
  workloads,
  comparisons: [
    { name: 'against a bare Fastify route', of: 'Muster', with: 'bare Fastify', min: 0.45 },
    { name: "against PostGraphile's query by id", of: 'Muster', with: 'PostGraphile', min: 2 },
    { name: 'against Apollo', of: 'Muster', with: 'Apollo' },
  ],
})
