import { TargetAttributes } from './attributes/attributes.ts'
import { type BulkProgress, type FollowBulkOptions, followBulkJob } from './bulk/follow-bulk-job.ts'
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
import { type Credentials, signerOf } from './sign/signer-from-credentials.ts'
import { dataOf, type GraphQLResponse } from './transport/response.ts'
import { sendWithRetries } from './transport/send-with-retries.ts'
import type { Operation, Transport } from './transport/transport.ts'
import type { CallOptions } from './types.ts'

/** Server, credentials, and default call options. Exactly one of `secret`, `privateKey`, and `sign` is required. */
export interface MusterOptions extends Credentials {
  /** Server URL, such as `https://muster.example.com`. */
  url: string
  /** Access key ID. Required unless `sign` is set. */
  keyId?: string | undefined
  /** The access key's base64-encoded secret, as shown at creation. */
  secret?: string | undefined
  /** Ed25519 private key as PEM (PKCS #8) or a `CryptoKey`, for an access key with a public key. */
  privateKey?: Credentials['privateKey']
  /** Custom signing function, for example for a key in a hardware security module. */
  sign?: Credentials['sign']
  /** Signature form: `rfc9421` (form B, the default), or `cavage` (form A). */
  form?: Credentials['form']
  /** Timeout of one attempt, in milliseconds. Default: 60,000. */
  timeout?: number | undefined
  /**
   * Maximum number of retries if a retry is safe, not counting rate-limited attempts. Default: 4, or 10 for each page
   * of a list. 0 prevents all retries.
   */
  retries?: number | undefined
  /** Replacement for the global `fetch`. */
  fetch?: typeof fetch | undefined
}

export interface QueryOptions extends CallOptions {
  /** Name of the operation to run. Required if the document contains several operations. */
  operationName?: string | undefined
}

/** With this many retries of each page, a list continues after a server restart. */
const LIST_RETRIES = 10

/**
 * A client that signs every request to Muster's API.
 *
 * ```ts
 * const muster = new Muster({ url: 'https://muster.example.com', keyId, secret })
 * ```
 */
export class Muster {
  readonly url: string
  /** The mutations. Each function accepts the mutation's arguments and returns all plain fields of the result. */
  readonly mutations: Mutations
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
      // Call fetch without a receiver, because browsers reject a call as a method of another object.
      fetch: (input, init) => send(input, init),
    }
    const mutate = (selection: object, options: CallOptions) => this.#run('Mutation', selection, options)
    this.mutations = createMutations(mutate)
    this.attributes = new TargetAttributes(this.#runQuery, this.mutations, async (items, options) => {
      const result = await mutate({ setAttributesMany: { $: { items }, code: true, message: true } }, options)
      return result.setAttributesMany as { code: string | null; message: string | null }[]
    })
  }

  /**
   * Runs the query that a selection describes. The selection also determines the type of the result. Throws a
   * MusterError if the query fails.
   */
  select<const Given extends Selection<'Query'>>(
    selection: Given & Checked<'Query', Given>,
    options: CallOptions = {},
  ): Promise<Selected<'Query', Given>> {
    return this.#run('Query', selection, options) as Promise<Selected<'Query', Given>>
  }

  /**
   * Runs the mutations of a selection in order. The selection also determines the type of the result. Throws a
   * MusterError if a mutation fails.
   */
  mutate<const Given extends Selection<'Mutation'>>(
    selection: Given & Checked<'Mutation', Given>,
    options: CallOptions = {},
  ): Promise<Selected<'Mutation', Given>> {
    return this.#run('Mutation', selection, options) as Promise<Selected<'Mutation', Given>>
  }

  /**
   * Runs a document and returns `data`. If the response contains errors, throws an error whose class matches the first
   * error's code. Throws OutcomeUnknownError instead for a mutation that may have run.
   */
  query<Data = Record<string, unknown>>(
    document: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: QueryOptions,
  ): Promise<Data>
  /** Runs a typed document and returns `data`. */
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

  /**
   * Runs a document and returns the whole response, including errors. Throws if the client receives no API response, or
   * if an option is invalid.
   */
  execute(
    document: string | TypedDocument<unknown, never>,
    variables?: Readonly<Record<string, unknown>>,
    { operationName, ...options }: QueryOptions = {},
  ): Promise<GraphQLResponse> {
    return sendWithRetries(this.#transport, { document: documentText(document), variables, operationName }, options)
  }

  /** Returns a device by ID. Throws NotFoundError if the device does not exist. */
  async getDevice<const Given extends Selection<'Device'> = never>(
    id: string,
    { select, ...options }: CallOptions & Choice<'Device', Given> = {},
  ): Promise<Chosen<'Device', Given, Device>> {
    const device = await this.#find('device', id, select ?? plainSelection('Device'), options)
    return device as Chosen<'Device', Given, Device>
  }

  /**
   * Returns a service by ID or, for a device ID, the device's bulk service. Throws NotFoundError if the service does
   * not exist.
   */
  async getService<const Given extends Selection<'Service'> = never>(
    id: string,
    { select, ...options }: CallOptions & Choice<'Service', Given> = {},
  ): Promise<Chosen<'Service', Given, Service>> {
    const service = await this.#find('service', id, select ?? plainSelection('Service'), options)
    return service as Chosen<'Service', Given, Service>
  }

  /** Lists matching devices. Default order: by ID. */
  devices<const Given extends Selection<'Device'> = never>(
    options: DeviceListOptions & Choice<'Device', Given> = {},
  ): List<Chosen<'Device', Given, Device>> {
    return listDevices(this.#runListQuery, options)
  }

  /** Lists the services of all or specific devices, grouped by device. */
  services<const Given extends Selection<'Service'> = never>(
    options: ServiceListOptions & Choice<'Service', Given> = {},
  ): List<Chosen<'Service', Given, Service>> {
    return listServices(this.#runListQuery, options)
  }

  /** Lists past events, newest first. Without dates, lists all stored events. */
  pastEvents<const Given extends Selection<'Event'> = never>(
    options: PastEventListOptions & Choice<'Event', Given> = {},
  ): List<Chosen<'Event', Given, Event>> {
    return listPastEvents(this.#runListQuery, options)
  }

  /** Lists a webhook's deliveries, newest first. The list throws NotFoundError if the webhook does not exist. */
  deliveries<const Given extends Selection<'WebhookDelivery'> = never>(
    options: DeliveryListOptions & Choice<'WebhookDelivery', Given>,
  ): List<Chosen<'WebhookDelivery', Given, WebhookDelivery>> {
    return listDeliveries(this.#runListQuery, options)
  }

  /**
   * Yields events as they happen, without losing or repeating events across reconnects. For an exception, see
   * `onConnect`. Ends when the caller leaves the loop. Throws the signal's reason after an abort, and errors that a
   * retry cannot fix. Before the first connection, also throws the last error after all retries.
   */
  events<const Given extends Selection<'Event'> = never>(
    options: EventOptions & Choice<'Event', Given> = {},
  ): AsyncGenerator<Chosen<'Event', Given, Event>, void, undefined> {
    const { types, deviceId } = options
    return followEvents({
      transport: this.#transport,
      run: this.#runQuery,
      pastEvents: (select) => listPastEvents(this.#runListQuery, { types, deviceId, signal: options.signal, select }),
      options,
    }) as AsyncGenerator<Chosen<'Event', Given, Event>, void, undefined>
  }

  /**
   * Yields a bulk job's progress until the job is neither previewing nor running. Throws NotFoundError if the job does
   * not exist, and the signal's reason after an abort.
   */
  followBulkJob(id: string, options: FollowBulkOptions = {}): AsyncGenerator<BulkProgress, void, undefined> {
    return followBulkJob(this.#runQuery, id, options)
  }

  readonly #runQuery: RunQuery = (selection, options) => this.#run('Query', selection, options)

  readonly #runListQuery: RunQuery = (selection, options) =>
    this.#runQuery(selection, { ...options, retries: options.retries ?? this.#listRetries })

  async #find(field: 'device' | 'service', id: string, select: object, options: CallOptions): Promise<unknown> {
    const { login } = await this.#runQuery({ login: { [`found: ${field}`]: { $: { id: [id] }, ...select } } }, options)
    const [found] = (login as { found: unknown[] }).found
    if (found === undefined) throw new NotFoundError('NOT_FOUND', `no ${field} has the ID ${JSON.stringify(id)}`)
    return found
  }

  async #run(root: 'Query' | 'Mutation', selection: object, options: CallOptions): Promise<Record<string, unknown>> {
    return (await this.#send(buildDocument(root, selection), options)) as Record<string, unknown>
  }

  async #send(operation: Operation, options: CallOptions): Promise<unknown> {
    return dataOf(await sendWithRetries(this.#transport, operation, options), operation, options)
  }
}

function assertUrl(url: string): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError(
      `url must be an http or https URL, such as https://muster.example.com, not ${JSON.stringify(url)}`,
    )
  const { username, password, search, hash } = new URL(url)
  if (username + password + search + hash !== '')
    throw new TypeError(
      'url must be the server URL without a user, password, query, or fragment, such as https://muster.example.com',
    )
}
