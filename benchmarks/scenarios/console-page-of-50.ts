import { graphql } from '../run/operation.ts'
import type { Workload } from '../run/rounds.ts'
import { devicesOfPostgraphile } from './postgraphile-response.ts'
import { loadScenario } from './throughput-scenario.ts'

const SIZE = 50

const document = `query DevicePage($size: Int!) {
  login {
    devices(size: $size) {
      hasMore
      items { id name hardwareId platform created state stateSince lastReported categoryA statusA }
    }
  }
}`

export const consoleWorkloads: readonly Workload[] = [
  {
    name: 'Muster',
    system: 'server',
    operations: () => [graphql('server', document, { size: SIZE })],
    read: ({ data }) => data,
  },
  {
    name: 'baseline',
    system: 'baseline',
    operations: () => [{ path: '/devices', body: { size: SIZE } }],
    read: ({ data }) => data,
  },
  {
    name: 'PostGraphile',
    system: 'postgraphile',
    operations: ({ accountId }) => [
      graphql(
        'postgraphile',
        `query ($account: String!, $size: Int!) {
          allDevices(first: $size, orderBy: [NAME_NATURALLY_ASC, PRIMARY_KEY_ASC], condition: { accountId: $account }) {
            pageInfo { hasNextPage }
            nodes {
              id: rowId name hardwareId platform created
              deviceLiveByAccountIdAndDeviceId { state stateSince lastReported categoryA statusA }
            }
          }
        }`,
        { account: accountId, size: SIZE },
      ),
    ],
    read: devicesOfPostgraphile,
  },
  {
    name: 'Apollo',
    system: 'apollo',
    operations: () => [graphql('apollo', document, { size: SIZE })],
    read: ({ data }) => data,
  },
]

export const consolePage = loadScenario({
  name: 'console',
  title: 'Page of 50 devices for the console, ten columns',
  connections: 16,
  workloads: consoleWorkloads,
  comparisons: [
    { name: 'against the baseline', of: 'Muster', with: 'baseline', min: 0.9 },
    { name: 'against PostGraphile', of: 'Muster', with: 'PostGraphile', min: 1.8 },
    { name: 'against Apollo', of: 'Muster', with: 'Apollo' },
  ],
})
