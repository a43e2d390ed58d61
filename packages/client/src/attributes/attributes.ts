import { NotFoundError } from '../errors.ts'
import type { RunQuery } from '../lists/list-of.ts'
import type { Mutations } from '../schema/types.generated.ts'
import type { AttributeChanges, Attributes, CallOptions } from '../types.ts'
import { type SendBatch, type SetManyItem, type SetManyOptions, type SetManyOutcome, setMany } from './set-many.ts'

/** In which context, and how to call. */
export interface ContextOptions extends CallOptions {
  /** Left away, the base. */
  context?: string | undefined
}

/**
 * Attributes of devices, services and the user that the key belongs to, by the target's id.
 *
 * ```ts
 * const { device } = await muster.mutations.registerDevice({ name: 'gate' })
 * await muster.attributes.set(device.id, { site: 'oslo', net: { ssid: 'lab' } })
 * console.log(await muster.attributes.get(device.id, 'net.ssid'))
 * ```
 */
export class TargetAttributes {
  readonly #run: RunQuery
  readonly #mutations: Mutations
  readonly #sendBatch: SendBatch

  constructor(run: RunQuery, mutations: Mutations, sendBatch: SendBatch) {
    this.#run = run
    this.#mutations = mutations
    this.#sendBatch = sendBatch
  }

  /** All attributes, nested: with a context, its overrides laid over the base values. */
  get(target: string, options?: ContextOptions): Promise<Attributes>
  /** One value; null where there is none. */
  get(target: string, name: string, options?: ContextOptions): Promise<string | null>
  async get(
    target: string,
    first?: string | ContextOptions,
    second?: ContextOptions,
  ): Promise<Attributes | string | null> {
    const name = typeof first === 'string' ? first : undefined
    const { context, ...options } = (typeof first === 'string' ? second : first) ?? {}
    const field = name === undefined ? 'attributes' : 'attribute'
    const found = await this.#read(target, { [field]: { $: { name, context } } }, options)
    return found[field] as Attributes | string | null
  }

  /** Sets many, all or none, merged into what is there; null removes. Answers all of them afterwards. */
  set(target: string, attributes: AttributeChanges, options?: ContextOptions): Promise<Attributes>
  /** Sets one; null removes it. Answers the value now in force. */
  set(target: string, name: string, value: string | null, options?: ContextOptions): Promise<string | null>
  set(
    target: string,
    first: string | AttributeChanges,
    second?: string | null | ContextOptions,
    third?: ContextOptions,
  ): Promise<Attributes | string | null> {
    if (typeof first === 'string') return this.#setOne(target, first, second as string | null, third)
    const { context, ...options } = (second as ContextOptions | undefined) ?? {}
    return this.#mutations.setAttributes({ serviceId: target, attributes: first, context }, options)
  }

  /** Removes one or many: in the base, or the overrides of a context. What is not there is no error. */
  async unset(target: string, names: string | readonly string[], options?: ContextOptions): Promise<void> {
    const given = typeof names === 'string' ? [names] : names
    if (given.length === 0) return
    await this.set(target, Object.fromEntries(given.map((name) => [name, null])), options)
  }

  /** What is set in a context alone, nested: what overrides the base there, even by the same value. */
  async overrides(target: string, context: string, options: CallOptions = {}): Promise<Attributes> {
    return (await this.#read(target, { overrides: { $: { context } } }, options)).overrides as Attributes
  }

  /** The contexts in which an attribute of the target has an override. */
  async contexts(target: string, options: CallOptions = {}): Promise<string[]> {
    return (await this.#read(target, { contexts: true }, options)).contexts as string[]
  }

  /** Sets attributes of many targets, in batches, so many at once; what is refused does not keep the others back. */
  setMany(
    items: Iterable<SetManyItem> | AsyncIterable<SetManyItem>,
    options: SetManyOptions = {},
  ): Promise<SetManyOutcome> {
    return setMany(this.#sendBatch, items, options)
  }

  async #setOne(
    target: string,
    name: string,
    value: string | null,
    { context, ...options }: ContextOptions = {},
  ): Promise<string | null> {
    // Left away, it would be missing in the request.
    if (value === undefined) throw new TypeError('value must be a text, or null to remove the attribute')
    return this.#mutations.setAttribute({ serviceId: target, name, value, context }, options)
  }

  async #read(target: string, fields: object, options: CallOptions): Promise<Record<string, unknown>> {
    const isUser = !/^[0-9a-f]{2}(:[0-9a-f]{2}){7}$/i.test(target)
    const selection = isUser ? { id: true, ...fields } : { service: { $: { id: [target] }, ...fields } }
    const { login } = (await this.#run({ login: selection }, options)) as {
      login: { id?: string; service?: Record<string, unknown>[] } & Record<string, unknown>
    }
    const found = isUser ? (login.id === target ? login : undefined) : login.service?.[0]
    if (found === undefined)
      throw new NotFoundError('NOT_FOUND', `no device, service or user ${JSON.stringify(target)} of yours`)
    return found
  }
}
