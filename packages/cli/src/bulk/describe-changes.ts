interface Change {
  old: unknown
  new: unknown
}

interface Service {
  name: string
  host: string | null
  port: number | null
}

interface ItemChanges {
  setAttributes?: { context: string | null; service?: { name: string }; changes: Record<string, Change> }[]
  update?: Record<string, Change>
  addService?: Service[]
  updateService?: { name: string; changes: Record<string, Change> }[]
  removeService?: Service[]
  delete?: object
  register?: object
}

/** Describes a device's `BulkItem.changes` in one line, such as `site: oslo → rome`. */
export function describeChanges(given: object): string {
  const changes = given as ItemChanges
  if (changes.delete !== undefined) return 'deleted'
  if (changes.register !== undefined) return 'new device'
  const { setAttributes = [], update = {}, addService = [], updateService = [], removeService = [] } = changes
  return [
    ...describeEach(update, ''),
    ...setAttributes.flatMap(({ context, service, changes }) =>
      describeEach(changes, (service === undefined ? '' : ` of ${service.name}`) + (context ? ` in ${context}` : '')),
    ),
    ...addService.map((service) => describe('service', { old: null, new: serviceText(service) })),
    ...updateService.flatMap(({ name, changes }) => describeEach(changes, ` of ${name}`)),
    ...removeService.map((service) => describe('service', { old: serviceText(service), new: null })),
  ].join(', ')
}

const describeEach = (changes: Record<string, Change>, place: string): string[] =>
  Object.entries(changes).map(([name, change]) => describe(name + place, change))

const describe = (name: string, change: Change): string =>
  `${name}: ${valueText(change.old)} → ${valueText(change.new)}`

function valueText(value: unknown): string {
  if (value == null) return '-'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}

function serviceText({ name, host, port }: Service): string {
  const place = [host, port].filter((part) => part != null).join(':')
  return place === '' ? name : `${name} (${place})`
}
