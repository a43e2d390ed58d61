import { graphql } from '../run/operation.ts'
import type { Workload } from '../run/rounds.ts'
import { devicesOfPostgraphile } from './postgraphile-response.ts'
import { loadScenario } from './throughput-scenario.ts'

const SIZE = 1_000

const document = (context: string) => `{
  login {
    devices(size: ${SIZE}) {
      hasMore
      items {
        id name hardwareId platform created state lastReported
        attributes${context}
        services { id name application port host enabled state }
      }
    }
  }
}`

export const pageWorkloads: readonly Workload[] = [
  {
    name: 'Muster',
    system: 'server',
    operations: () => [graphql('server', document(''))],
    read: ({ data }) => data,
  },
  {
    name: 'baseline',
    system: 'baseline',
    operations: () => [{ path: '/devices-with-services', body: { size: SIZE } }],
    read: ({ data }) => data,
  },
  {
    name: 'PostGraphile',
    system: 'postgraphile',
    operations: ({ accountId }) => [
      graphql(
        'postgraphile',
        `query ($account: String!) {
          allDevices(first: ${SIZE}, orderBy: [NAME_NATURALLY_ASC, PRIMARY_KEY_ASC], condition: { accountId: $account }) {
            pageInfo { hasNextPage }
            nodes {
              id: rowId name hardwareId platform created attributes
              deviceLiveByAccountIdAndDeviceId {
                state lastReported
                categoryA categoryB categoryC categoryD categoryE statusA statusB statusC statusD statusE
              }
              servicesByAccountIdAndDeviceId(orderBy: [NAME_NATURALLY_ASC, PRIMARY_KEY_ASC]) {
                nodes {
                  id: rowId name application port host enabled
                  serviceLiveByAccountIdAndServiceId { state }
                }
              }
            }
          }
        }`,
        { account: accountId },
      ),
    ],
    read: devicesOfPostgraphile,
  },
  {
    name: 'Apollo',
    system: 'apollo',
    operations: () => [graphql('apollo', document(''))],
    read: ({ data }) => data,
  },
]

export const page = loadScenario({
  name: 'page',
  title: 'Page of 1000 devices, 4 services each, all attributes',
  connections: 4,
  workloads: pageWorkloads,
  comparisons: [
    { name: 'against the baseline', of: 'Muster', with: 'baseline', min: 0.95 },
    { name: 'against PostGraphile', of: 'Muster', with: 'PostGraphile', min: 2.4 },
    { name: 'against Apollo', of: 'Muster', with: 'Apollo', min: 2.5 },
  ],
})

const [server] = pageWorkloads

export const pageInContext = loadScenario({
  name: 'context',
  title: 'The same page in a context with overrides on a tenth of the devices',
  connections: 4,
  workloads: [
    { ...server!, name: 'Muster, no context' },
    {
      ...server!,
      name: 'Muster, in a context',
      operations: ({ context }) => [graphql('server', document(`(context: "${context}")`))],
    },
  ],
  comparisons: [{ name: 'against no context', of: 'Muster, in a context', with: 'Muster, no context', min: 0.9 }],
  check: assertTenthDiffers,
})

interface Page {
  login: { devices: { items: { attributes: object }[] } }
}

function assertTenthDiffers(responses: ReadonlyMap<string, unknown>): void {
  const [plain, inContext] = [...responses.values()].map((data) =>
    (data as Page).login.devices.items.map(({ attributes }) => JSON.stringify(attributes)),
  )
  const different = plain!.filter((text, index) => text !== inContext![index]).length
  if (different !== SIZE / 10)
    throw new Error(`The context changes the attributes of ${different} of ${SIZE} devices, not of ${SIZE / 10}.`)
}
