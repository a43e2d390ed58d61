const letters = ['A', 'B', 'C', 'D', 'E']
const reserved = ['category', 'status'].flatMap((kind) => letters.map((letter) => `${kind}${letter}`))

type Row = Record<string, unknown>

// biome-ignore lint/suspicious/noExplicitAny: the shape of the response depends on the document
export function devicesOfPostgraphile({ data }: any): unknown {
  const { pageInfo, nodes } = data.allDevices
  return { login: { devices: { hasMore: pageInfo.hasNextPage, items: nodes.map(toDevice) } } }
}

function toDevice({
  deviceLiveByAccountIdAndDeviceId: live,
  servicesByAccountIdAndDeviceId: services,
  ...device
}: Row & { deviceLiveByAccountIdAndDeviceId: Row; servicesByAccountIdAndDeviceId?: { nodes: Row[] } }): Row {
  const { attributes } = device
  const group = Object.fromEntries(reserved.filter((name) => live[name] != null).map((name) => [name, live[name]]))
  const { state, stateSince, lastReported, categoryA, statusA } = live
  return {
    ...device,
    created: toTime(device.created),
    state,
    lastReported: toTime(lastReported),
    ...(attributes === undefined
      ? { stateSince: toTime(stateSince), categoryA, statusA }
      : { attributes: Object.keys(group).length === 0 ? attributes : { ...attributes, $svc: group } }),
    ...(services !== undefined && {
      services: services.nodes.map(({ serviceLiveByAccountIdAndServiceId: own, ...service }) => ({
        ...service,
        state: (own as Row | null)?.state ?? state,
      })),
    }),
  }
}

const toTime = (text: unknown): string | null => (text == null ? null : new Date(text as string).toISOString())
