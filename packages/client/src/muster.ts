import { TargetAttributes } from './attributes/attributes.ts'
import { documentText, type TypedDocument } from './documents/typed-document.ts'
import { NotFoundError } from './errors.ts'
import { type EventOptions, followEvents } from './events/follow-events.ts'
import type { List } from './lists/list.ts'
import type { RunQuery } from './lists/list-of.ts'
import type {
  Choice,
  Chosen,
  DeliveryListOptions,
  DeviceListOptions,
  PastEventListOptions,
  ServiceListOptions,
} from './lists/list-options.ts'
import { listDeliveries, listDevices, listPastEvents, listServices } from './lists/lists.ts'
import { createMutations } from './mutations.ts'
import type { Device, Event, Mutations, Service, WebhookDelivery } from './schema/types.generated.ts'
import { buildDocument, plainSelection } from './select/build-document.ts'
import type { Checked, Selected, Selection } from './select/selection.ts'
import { type Credentials, signerOf } from './sign/sign.ts'
import type { Answer } from './transport/attempt.ts'
import { dataOf } from './transport/data-of.ts'
import { type Operation, send, type Transport } from './transport/transport.ts'
import type { CallOptions } from './types.ts'

/** Where the server is, who asks, and how patiently. One of `secret`, `privateKey` and `sign` must be given. */
export interface MusterOptions extends Credentials {
  /** Where the server is: `https://muster.example.com`. */
  url: string
  /** Id of the access key; needed unless `sign` is given. */
  keyId?: string | undefined
  /** Its secret in base64, as it was shown. */
  secret?: string | undefined
  /** For a key registered by its public half: Ed25519 as PEM (PKCS #8), or a `CryptoKey`. */
  privateKey?: Credentials['privateKey']
  /** Signs instead: for keys kept elsewhere. */
  sign?: Credentials['sign']
  /** `rfc9421` if left away. */
  form?: Credentials['form']
  /** Milliseconds that one try may take; 60,000 if left away. */
  timeout?: number | undefined
  /** Tries after the first, where trying again is safe: 4, and 10 in lists, if left away. */
  retries?: number | undefined
  /** Instead of the global one. */
  fetch?: typeof fetch | undefined
}

export interface QueryOptions extends CallOptions {
  /** Which operation of the document to run, where it has several. */
  operationName?: string | undefined
}

/** Tries a page of a list gets: a server that restarts is back within them. */
const LIST_RETRIES = 10

/**
 * Muster's API as one user, every request signed.
 *
 * ```ts
 * const muster = new Muster({ url: 'https://muster.example.com', keyId, secret })
 * ```
 */
export class Muster {
  /** Where the server is. */
  readonly url: string
  /** Each mutation as a function of its arguments, which answers all plain fields of what it returns. */
  readonly mutations: Mutations
  /** Attributes of devices, services and the user. */
  readonly attributes: TargetAttributes
  readonly #transport: Transport
  readonly #listRetries: number

  constructor({ url, timeout = 60_000, retries, fetch: send = globalThis.fetch, ...credentials }: MusterOptions) {
    assertUrl(url)
    this.url = new URL(url).href.replace(/\/+$/, '')
    this.#listRetries = retries ?? LIST_RETRIES
    this.#transport = {
      endpoint: `${this.url}/graphql/v1`,
      sign: signerOf(credentials),
      timeout,
      retries: retries ?? 4,
      // In browsers it may only be called on its own.
      fetch: (input, init) => send(input, init),
    }
    const mutate = (selection: object, options: CallOptions) => this.#run('Mutation', selection, options)
    this.mutations = createMutations(mutate)
    this.attributes = new TargetAttributes(this.#ask, this.mutations, async (items, options) => {
      const answer = await mutate({ setAttributesMany: { $: { items }, code: true, message: true } }, options)
      return answer.setAttributesMany as { code: string | null; message: string | null }[]
    })
  }

  /** Asks for what a selection says; the answer has its type. */
  select<const Given extends Selection<'Query'>>(
    selection: Given & Checked<'Query', Given>,
    options: CallOptions = {},
  ): Promise<Selected<'Query', Given>> {
    return this.#run('Query', selection, options) as Promise<Selected<'Query', Given>>
  }

  /** Makes the changes that a selection says, one after the other; the answer has its type. */
  mutate<const Given extends Selection<'Mutation'>>(
    selection: Given & Checked<'Mutation', Given>,
    options: CallOptions = {},
  ): Promise<Selected<'Mutation', Given>> {
    return this.#run('Mutation', selection, options) as Promise<Selected<'Mutation', Given>>
  }

  /** Runs a document and returns its `data`; an answer with errors is thrown, as the class of its code. */
  query<Data = Record<string, unknown>>(
    document: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: QueryOptions,
  ): Promise<Data>
  /** The same for a document that knows its types. */
  query<Data, Variables>(
    document: TypedDocument<Data, Variables>,
    ...rest: Record<string, never> extends Variables
      ? [variables?: Variables, options?: QueryOptions]
      : [variables: Variables, options?: QueryOptions]
  ): Promise<Data>
  query(
    document: string | TypedDocument<unknown, never>,
    variables?: object,
    { operationName, ...options }: QueryOptions = {},
  ): Promise<unknown> {
    return this.#send(
      { document: documentText(document), variables: variables as Operation['variables'], operationName },
      options,
    )
  }

  /** Runs a document and returns the answer as it came, errors and all. Throws only where none came. */
  execute(
    document: string | TypedDocument<unknown, never>,
    variables?: Readonly<Record<string, unknown>>,
    { operationName, ...options }: QueryOptions = {},
  ): Promise<Answer> {
    return send(this.#transport, { document: documentText(document), variables, operationName }, options)
  }

  /** One device; throws NotFoundError where there is none. */
  async getDevice<const Given extends Selection<'Device'> = never>(
    id: string,
    { select, ...options }: CallOptions & Choice<'Device', Given> = {},
  ): Promise<Chosen<'Device', Given, Device>> {
    const [device] = await this.#find('device', id, select ?? plainSelection('Device'), options)
    return device as Chosen<'Device', Given, Device>
  }

  /** One service, or the bulk service that a device's id names; throws NotFoundError where there is none. */
  async getService<const Given extends Selection<'Service'> = never>(
    id: string,
    { select, ...options }: CallOptions & Choice<'Service', Given> = {},
  ): Promise<Chosen<'Service', Given, Service>> {
    const [service] = await this.#find('service', id, select ?? plainSelection('Service'), options)
    return service as Chosen<'Service', Given, Service>
  }

  /** Devices that match; by id, where no other order is asked for. */
  devices<const Given extends Selection<'Device'> = never>(
    options: DeviceListOptions & Choice<'Device', Given> = {},
  ): List<Chosen<'Device', Given, Device>> {
    return listDevices(this.#askForList, options)
  }

  /** Services of all devices, or of those named, device by device. */
  services<const Given extends Selection<'Service'> = never>(
    options: ServiceListOptions & Choice<'Service', Given> = {},
  ): List<Chosen<'Service', Given, Service>> {
    return listServices(this.#askForList, options)
  }

  /** Events that are there already, newest first; without dates, as far back as they are kept. */
  pastEvents<const Given extends Selection<'Event'> = never>(
    options: PastEventListOptions & Choice<'Event', Given> = {},
  ): List<Chosen<'Event', Given, Event>> {
    return listPastEvents(this.#askForList, options)
  }

  /** Deliveries of a webhook, newest first. */
  deliveries<const Given extends Selection<'WebhookDelivery'> = never>(
    options: DeliveryListOptions & Choice<'WebhookDelivery', Given>,
  ): List<Chosen<'WebhookDelivery', Given, WebhookDelivery>> {
    return listDeliveries(this.#askForList, options)
  }

  /** Events as they happen, across reconnects, none lost and none twice. Ends when the loop is left, or by its signal. */
  events<const Given extends Selection<'Event'> = never>(
    options: EventOptions & Choice<'Event', Given> = {},
  ): AsyncGenerator<Chosen<'Event', Given, Event>, void, undefined> {
    const { types, deviceId } = options
    return followEvents({
      transport: this.#transport,
      run: this.#ask,
      pastEvents: (select) => listPastEvents(this.#askForList, { types, deviceId, signal: options.signal, select }),
      options,
    }) as AsyncGenerator<Chosen<'Event', Given, Event>, void, undefined>
  }

  readonly #ask: RunQuery = (selection, options) => this.#run('Query', selection, options)

  readonly #askForList: RunQuery = (selection, options) =>
    this.#ask(selection, { ...options, retries: options.retries ?? this.#listRetries })

  async #find(field: 'device' | 'service', id: string, select: object, options: CallOptions): Promise<unknown[]> {
    const { login } = await this.#ask({ login: { [`found: ${field}`]: { $: { id: [id] }, ...select } } }, options)
    const { found } = login as { found: unknown[] }
    if (found.length === 0) throw new NotFoundError('NOT_FOUND', `no ${field} ${JSON.stringify(id)}`)
    return found
  }

  async #run(root: 'Query' | 'Mutation', selection: object, options: CallOptions): Promise<Record<string, unknown>> {
    return (await this.#send(buildDocument(root, selection), options)) as Record<string, unknown>
  }

  async #send(operation: Operation, options: CallOptions): Promise<unknown> {
    return dataOf(await send(this.#transport, operation, options), operation, options)
  }
}

function assertUrl(url: string): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError(`url must be an http or https address, not ${JSON.stringify(url)}`)
  const { username, password, search, hash } = new URL(url)
  if (username + password + search + hash !== '')
    throw new TypeError('url must be the address of the server alone, without user, query or fragment')
}
