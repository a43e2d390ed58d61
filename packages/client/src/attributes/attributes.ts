import { NotFoundError } from '../errors.ts'
import type { RunQuery } from '../lists/list-of.ts'
import type { AttributeInfo, Mutations } from '../schema/types.generated.ts'
import type { AttributeChanges, Attributes, CallOptions } from '../types.ts'
import { type SendBatch, type SetManyItem, type SetManyOptions, type SetManyOutcome, setMany } from './set-many.ts'

export interface ContextOptions extends CallOptions {
  /** The context to read or change. By default, the call reads or changes base values. */
  context?: string | undefined
}

/**
 * Reads and changes attributes of a target: a device, a service, or the access key's account, identified by its ID.
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

  /**
   * Returns all attributes, nested. With a context, merges the context's overrides with the base values. Throws
   * NotFoundError if the target does not exist.
   */
  get(target: string, options?: ContextOptions): Promise<Attributes>
  /**
   * Returns one effective value, or null if the attribute is not set. Throws NotFoundError if the target does not
   * exist.
   */
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

  /**
   * Sets several attributes, all or none. Null removes an attribute or a group. With a context, sets and removes only
   * overrides. Returns all attributes after the change.
   */
  set(target: string, attributes: AttributeChanges, options?: ContextOptions): Promise<Attributes>
  /**
   * Sets one attribute. Null removes the attribute or group. With a context, sets or removes only overrides. Returns
   * the effective value after the change.
   */
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

  /** Removes base values or, with a context, overrides. Ignores attributes that are not set. */
  async unset(target: string, names: string | readonly string[], options?: ContextOptions): Promise<void> {
    const given = typeof names === 'string' ? [names] : names
    if (given.length === 0) return
    await this.set(target, Object.fromEntries(given.map((name) => [name, null])), options)
  }

  /** Returns only the overrides in a context, nested, including overrides that equal the base value. */
  async overrides(target: string, context: string, options: CallOptions = {}): Promise<Attributes> {
    return (await this.#read(target, { overrides: { $: { context } } }, options)).overrides as Attributes
  }

  /**
   * Returns the effective value of each attribute, where the value is set, and the base value that an override hides.
   * Also returns the times of the last change and the last write, the expected interval, and whether the value is
   * stale. Without names, returns all attributes that are set.
   */
  async info(
    target: string,
    { context, names, ...options }: ContextOptions & { names?: readonly string[] | undefined } = {},
  ): Promise<AttributeInfo[]> {
    const times = { changed: true, confirmed: true, expectedInterval: true, isStale: true }
    const fields = { $: { names, context }, name: true, value: true, setIn: true, base: true, ...times }
    return (await this.#read(target, { attributeInfo: fields }, options)).attributeInfo as AttributeInfo[]
  }

  /** Returns the contexts in which the target has overrides. */
  async contexts(target: string, options: CallOptions = {}): Promise<string[]> {
    return (await this.#read(target, { contexts: true }, options)).contexts as string[]
  }

  /**
   * Sets attributes of many targets in concurrent batches. Returns the number of saved items and a list of the rejected
   * items. A rejected item does not affect other items. Throws an error if a whole batch fails.
   */
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
    // Reject undefined, because JSON would omit the value.
    if (value === undefined) throw new TypeError('value must be a string, or null to remove the attribute')
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
      throw new NotFoundError(
        'NOT_FOUND',
        `no device or service has the ID ${JSON.stringify(target)}, and it is not the ID of your account`,
      )
    return found
  }
}
