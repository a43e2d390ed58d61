import { graphql } from '../run/operation.ts'
import type { Contender } from '../run/rounds.ts'
import { loadScenario } from './load-scenario.ts'
import { devicesOfPostgraphile } from './postgraphile-devices.ts'

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

/** Devices, their services and all their attributes. */
export const pageContenders: readonly Contender[] = [
  {
    name: 'Muster',
    contestant: 'server',
    operations: () => [graphql('server', document(''))],
    read: ({ data }) => data,
  },
  {
    name: 'floor',
    contestant: 'floor',
    operations: () => [{ path: '/devices-with-services', body: { size: SIZE } }],
    read: ({ data }) => data,
  },
  {
    name: 'PostGraphile',
    contestant: 'postgraphile',
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
    contestant: 'apollo',
    operations: () => [graphql('apollo', document(''))],
    read: ({ data }) => data,
  },
]

export const page = loadScenario({
  name: 'page',
  title: 'Page of 1000 devices, 4 services each, all attributes',
  connections: 4,
  contenders: pageContenders,
  comparisons: [
    { name: 'against the floor', of: 'Muster', with: 'floor', least: 0.9 },
    { name: 'against PostGraphile', of: 'Muster', with: 'PostGraphile', least: 1.8 },
    { name: 'against Apollo', of: 'Muster', with: 'Apollo', least: 2.5 },
  ],
})

const [server] = pageContenders

export const pageInContext = loadScenario({
  name: 'context',
  title: 'The same in a context with overrides on a tenth',
  connections: 4,
  contenders: [
    { ...server!, name: 'Muster, no context' },
    {
      ...server!,
      name: 'Muster, in a context',
      operations: ({ context }) => [graphql('server', document(`(context: "${context}")`))],
    },
  ],
  comparisons: [{ name: 'against no context', of: 'Muster, in a context', with: 'Muster, no context', least: 0.8 }],
  check: assertTenthDiffers,
})

/** What `document` is answered with. */
interface Page {
  login: { devices: { items: { attributes: object }[] } }
}

function assertTenthDiffers(answers: ReadonlyMap<string, unknown>): void {
  const [base, overlaid] = [...answers.values()].map((data) =>
    (data as Page).login.devices.items.map(({ attributes }) => JSON.stringify(attributes)),
  )
  const different = base!.filter((text, index) => text !== overlaid![index]).length
  if (different !== SIZE / 10) throw new Error(`${different} devices of ${SIZE} differ in the context, not a tenth`)
}
